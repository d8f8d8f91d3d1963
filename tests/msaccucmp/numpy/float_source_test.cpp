#include "msaccucmp/numpy/float_source.h"

#include <numeric>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/h5.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

std::vector<float> read_all(const FloatSource& source, size_t piece) {
    std::vector<float> values;
    FloatBuffer buffer;
    for (size_t first = 0; first < source.count(); first += piece) {
        const size_t count = std::min(piece, source.count() - first);
        const float* data = source.piece(first, count, buffer);
        values.insert(values.end(), data, data + count);
    }
    return values;
}

h5::Reader file_with(const std::filesystem::path& path, const Tensor& tensor) {
    h5::Writer writer(path);
    writer.write_dataset("/x", tensor.view(), {});
    writer.close();
    return h5::Reader(path);
}

TEST(DatasetFloats, are_the_stored_elements_as_float32) {
    const test::TempDir folder;
    for (const DTypeInfo& row : all_dtypes()) {
        if (row.dtype == DType::kBFloat16) continue;
        Tensor values(DType::kFloat32, {7, 3});
        for (size_t i = 0; i < 21; ++i)
            values.mutable_as<float>()[i] = static_cast<float>(i % 5);
        const Tensor stored = values.cast(row.dtype);
        const h5::Reader reader =
            file_with(folder.path() / (std::string(row.name) + ".h5"), stored);
        const auto source = stored_order(reader.elements("/x"));
        const Tensor expected = stored.cast(DType::kFloat32);
        const auto floats = expected.as<float>();
        EXPECT_EQ(read_all(*source, 4), std::vector<float>(floats.begin(), floats.end()))
            << row.name;
    }
}

TEST(DatasetFloats, are_gathered_through_strides_in_any_pieces) {
    const test::TempDir folder;
    Tensor values(DType::kInt32, {3, 4});
    std::iota(values.mutable_as<int32_t>().begin(), values.mutable_as<int32_t>().end(), 0);
    const h5::Reader reader = file_with(folder.path() / "a.h5", values);
    // Column-major: element (i, j) is stored[i + 3 j].
    const std::vector<float> expected = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    for (const size_t piece : {size_t{1}, size_t{5}, size_t{12}}) {
        EXPECT_EQ(read_all(*through_strides(reader.elements("/x"), {1, 3}), piece), expected);
        EXPECT_EQ(read_all(*through_strides(values, {1, 3}), piece), expected);
    }
}

TEST(DatasetFloats, rejects_strides_that_leave_the_data) {
    const Tensor values = Tensor::zeros(DType::kFloat32, {2, 2});
    const auto source = through_strides(values, {-1, 1});
    EXPECT_THROW(read_all(*source, 4), Error);
}

TEST(StridesFit, when_the_last_element_lies_inside) {
    EXPECT_TRUE(strides_fit({3, 4}, std::vector<int64_t>{1, 3}));
    EXPECT_TRUE(strides_fit({}, {}));
    EXPECT_FALSE(strides_fit({3, 4}, std::vector<int64_t>{4, 2}));
    EXPECT_FALSE(strides_fit({3, 4}, std::vector<int64_t>{4}));
    EXPECT_FALSE(strides_fit({3, 4}, std::vector<int64_t>{int64_t{1} << 62, 4}));
}

}  // namespace
}  // namespace npuscope::msaccucmp
