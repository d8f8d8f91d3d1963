#include "ir_tbe_map/stored_tensor.h"

#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::ir_tbe_map {
namespace {

/// 1, 2, 3, … so that no element but padding is zero.
Tensor counted(Shape shape) {
    Tensor tensor(DType::kInt32, std::move(shape));
    int32_t next = 0;
    for (int32_t& value : tensor.mutable_as<int32_t>())
        value = ++next;
    return tensor;
}

int32_t stored_at(const StoredTensor& stored, int64_t index) {
    int32_t value = 0;
    std::memcpy(&value, stored.stored().data() + 4 * index, 4);
    return value;
}

int64_t blocks(int64_t count) {
    return (count + 15) / 16;
}

/// Every stored element is what `source` says: the flat plain index, or -1 for padding.
void expect_elements(const StoredTensor& stored, const std::function<int64_t(int64_t)>& source) {
    ASSERT_EQ(stored.stored().size(), static_cast<size_t>(4 * numel_of(stored.shape)));
    for (int64_t i = 0; i < numel_of(stored.shape); ++i)
        ASSERT_EQ(stored_at(stored, i), source(i) + 1) << i;
}

TEST(StoredTensor, splits_channels_in_nc1hwc0) {
    const int64_t n = 2, c = 35, h = 3, w = 2;
    const StoredTensor stored = stored_in_format(counted({n, c, h, w}), "NC1HWC0", 1);
    EXPECT_EQ(stored.shape, (Shape{n, 3, h, w, 16}));
    expect_elements(stored, [&](int64_t i) -> int64_t {
        const int64_t c0 = i % 16, x = i / 16 % w, y = i / 16 / w % h, c1 = i / 16 / w / h % 3,
                      b = i / 16 / w / h / 3;
        const int64_t channel = c1 * 16 + c0;
        return channel < c ? ((b * c + channel) * h + y) * w + x : -1;
    });
}

TEST(StoredTensor, puts_filters_into_fractal_z) {
    const int64_t n = 18, c = 17, h = 2, w = 3;
    const StoredTensor stored = stored_in_format(counted({n, c, h, w}), "FRACTAL_Z", 1);
    EXPECT_EQ(stored.shape, (Shape{blocks(c) * h * w, blocks(n), 16, 16}));
    expect_elements(stored, [&](int64_t i) -> int64_t {
        const int64_t c0 = i % 16, n0 = i / 16 % 16, n1 = i / 256 % blocks(n),
                      outer = i / 256 / blocks(n);
        const int64_t x = outer % w, y = outer / w % h, c1 = outer / w / h;
        const int64_t channel = c1 * 16 + c0, filter = n1 * 16 + n0;
        return channel < c && filter < n ? ((filter * c + channel) * h + y) * w + x : -1;
    });
}

/// Source: transfer of grouped filters in the graph engine; E groups share one block.
TEST(StoredTensor, merges_the_groups_of_a_filter) {
    const int64_t n = 4, c = 2, groups = 2;  // 2 outputs and 2 channels a group
    const StoredTensor stored = stored_in_format(counted({n, c, 1, 1}), "FRACTAL_Z", groups);
    EXPECT_EQ(stored.shape, (Shape{1, 1, 16, 16}));
    expect_elements(stored, [&](int64_t i) -> int64_t {
        const int64_t c0 = i % 16, n0 = i / 16;
        const int64_t group = n0 / 2;  // E = 2: both groups in one block, on its diagonal
        const int64_t channel = c0 - group * c;
        return n0 < n && channel >= 0 && channel < c ? n0 * c + channel : -1;
    });
}

TEST(StoredTensor, puts_matrices_into_fractal_nz) {
    const int64_t b = 2, rows = 18, columns = 35;
    const StoredTensor stored = stored_in_format(counted({b, rows, columns}), "FRACTAL_NZ", 1);
    EXPECT_EQ(stored.shape, (Shape{b, 3, 2, 16, 16}));
    expect_elements(stored, [&](int64_t i) -> int64_t {
        const int64_t c0 = i % 16, r0 = i / 16 % 16, r1 = i / 256 % 2, c1 = i / 512 % 3,
                      batch = i / 1536;
        const int64_t row = r1 * 16 + r0, column = c1 * 16 + c0;
        return row < rows && column < columns ? (batch * rows + row) * columns + column : -1;
    });
}

TEST(StoredTensor, puts_volumes_into_ndc1hwc0) {
    const int64_t c = 3, d = 2, h = 2, w = 2;
    const StoredTensor stored = stored_in_format(counted({1, c, d, h, w}), "NDC1HWC0", 1);
    EXPECT_EQ(stored.shape, (Shape{1, d, 1, h, w, 16}));
    expect_elements(stored, [&](int64_t i) -> int64_t {
        const int64_t c0 = i % 16, x = i / 16 % w, y = i / 16 / w % h, z = i / 16 / w / h;
        return c0 < c ? ((c0 * d + z) * h + y) * w + x : -1;
    });
}

TEST(StoredTensor, takes_a_vector_as_channels) {
    const StoredTensor stored = stored_in_format(counted({3}), "NC1HWC0", 1);
    EXPECT_EQ(stored.logical, (Shape{1, 3, 1, 1}));
    EXPECT_EQ(stored.shape, (Shape{1, 1, 1, 1, 16}));
    expect_elements(stored, [](int64_t i) -> int64_t { return i < 3 ? i : -1; });
}

TEST(StoredTensor, has_wider_blocks_for_eight_bits) {
    const Tensor bytes = Tensor::zeros(DType::kInt8, {1, 33, 1, 1});
    EXPECT_EQ(described_in_format(bytes, "NC1HWC0", 1).shape, (Shape{1, 2, 1, 1, 32}));
}

TEST(StoredTensor, describes_itself_as_a_dump_does) {
    const StoredTensor stored = stored_in_format(counted({1, 2, 1, 1}), "NC1HWC0", 1);
    const cann_dump::DumpTensor tensor = stored.described();
    EXPECT_EQ(tensor.data_type, 7);  // int32
    EXPECT_EQ(tensor.format, 3);     // NC1HWC0
    EXPECT_EQ(tensor.original_format, 0);
    EXPECT_EQ(*tensor.shape, (std::vector<int64_t>{1, 1, 1, 1, 16}));
    EXPECT_EQ(*tensor.original_shape, (std::vector<int64_t>{1, 2, 1, 1}));
    EXPECT_EQ(tensor.size, 64u);
}

TEST(StoredTensor, rejects_unknown_formats) {
    EXPECT_THROW((void)stored_in_format(counted({1}), "NCDHWX", 1), Error);
    EXPECT_THROW((void)stored_in_format(counted({2, 2, 2, 2, 2}), "NC1HWC0", 1), Error);
}

}  // namespace
}  // namespace npuscope::ir_tbe_map
