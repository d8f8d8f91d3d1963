#include "ir_tbe_map/device_dumps.h"

#include <cstring>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cann_dump/writer.h"
#include "tests/support/support.h"

namespace npuscope::ir_tbe_map {
namespace {

using test::TempDir;

Tensor floats(Shape shape, const std::vector<float>& values) {
    return Tensor::from<float>(std::move(shape), std::span<const float>(values));
}

/// One output of float32 (code 1) under a name of its own.
void write_output(const TempDir& folder,
                  const std::string& name,
                  int64_t format,
                  std::vector<int64_t> shape,
                  std::vector<int64_t> original_shape,
                  const std::vector<float>& values) {
    cann_dump::DumpTensor tensor;
    tensor.data_type = 1;
    tensor.format = format;
    tensor.shape = std::move(shape);
    tensor.original_shape = std::move(original_shape);
    tensor.bytes = std::as_bytes(std::span(values));
    cann_dump::DumpFile dump;
    dump.outputs.push_back(tensor);
    cann_dump::write_dump(folder / name, dump);
}

TEST(DeviceDumps, bring_private_formats_into_plain_order) {
    const TempDir folder;
    // FRACTAL_NZ (29) of a 2 x 3 matrix, by hand: column c, row r is at [0][0][r][c].
    std::vector<float> stored(256);
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 3; ++c)
            stored[static_cast<size_t>(16 * r + c)] = static_cast<float>(10 * r + c);
    write_output(folder, "MatMul.m.2.0.20", 29, {1, 1, 16, 16}, {2, 3}, stored);
    write_output(folder, "Add.a.1.0.10", 2, {2}, {2}, {1, 2});
    const DeviceDumps dumps = read_device_dumps(folder.path());
    ASSERT_EQ(dumps.kernels.size(), 2u);
    EXPECT_EQ(dumps.kernels[0].type, "Add");  // by time
    const DeviceTensor& product = dumps.kernels[1].outputs.at(0);
    EXPECT_EQ(product.format, "FRACTAL_NZ");
    EXPECT_EQ(product.stored_shape, (Shape{1, 1, 16, 16}));
    EXPECT_TRUE(identical(load(product), floats({2, 3}, {0, 1, 2, 10, 11, 12})));
}

TEST(DeviceDumps, keep_no_content_where_the_order_is_not_known) {
    const TempDir folder;
    write_output(folder, "A.a.1.0.1", 3, {1, 1, 1, 1, 0}, {1, 1, 1, 1}, {});       // C0 of 0
    write_output(folder, "B.b.2.0.2", 3, {1, 9, 1, 1, 16}, {1, 1, 1, 1}, {1, 2});  // not its shape
    write_output(folder, "C.c.3.0.3", 2, {int64_t{1} << 60}, {2}, {1, 2});         // too few bytes
    write_output(folder, "D.d.4.0.4", 99, {2}, {2}, {1, 2});                       // no format
    write_output(folder, "E.e.5.0.5", 25, {2}, {2}, {1, 2});                       // no layout
    const DeviceDumps dumps = read_device_dumps(folder.path());
    ASSERT_EQ(dumps.kernels.size(), 5u);
    for (const DeviceKernel& kernel : dumps.kernels)
        EXPECT_FALSE(kernel.outputs.at(0).key) << kernel.type;
    EXPECT_THROW((void)load(dumps.kernels[3].outputs[0]), Error);
}

TEST(ContentKey, is_that_of_the_values_not_of_dtype_or_sign_of_zero) {
    const Tensor x = floats({3}, {1, 0.0f, 1.0f + 0x1p-12f});
    EXPECT_TRUE(content_key(x).matches(content_key(x.cast(DType::kFloat64))));
    EXPECT_TRUE(content_key(x).matches(content_key(x.cast(DType::kFloat16))));
    EXPECT_TRUE(content_key(x).matches(content_key(floats({3, 1}, {1, -0.0f, 1.0f + 0x1p-12f}))));
    EXPECT_FALSE(content_key(x).matches(content_key(floats({3}, {1, 0, 2}))));
    EXPECT_FALSE(content_key(x).matches(content_key(floats({2}, {1, 0}))));
    EXPECT_FALSE(content_key(x).weak);
    EXPECT_TRUE(content_key(floats({3}, {2, 2, 2})).weak);
    EXPECT_TRUE(content_key(floats({1}, {2})).weak);
}

TEST(DeviceDumps, rejects_a_folder_without_any) {
    const TempDir folder;
    EXPECT_THROW((void)read_device_dumps(folder.path()), Error);
    EXPECT_THROW((void)read_device_dumps(folder / "missing"), Error);
}

}  // namespace
}  // namespace npuscope::ir_tbe_map
