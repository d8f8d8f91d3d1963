#include "npu_backend/memory/strided.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::backend {
namespace {

Tensor counted(Shape shape) {
    Tensor tensor(DType::kInt16, std::move(shape));
    int16_t next = 0;
    for (int16_t& value : tensor.mutable_as<int16_t>())
        value = next++;
    return tensor;
}

TEST(Strided, gathers_a_transposed_slice) {
    // Columns 2 and 1 of [[0 1 2] [3 4 5]], as rows.
    const Tensor y = gather(counted({2, 3}), {{2, 2}, {-1, 3}, 2});
    EXPECT_TRUE(identical(y, Tensor::from<int16_t>({2, 2}, {2, 5, 1, 4})));
}

TEST(Strided, permutes_axes) {
    const Tensor y = permuted(counted({2, 3, 2}), {2, 0, 1});
    EXPECT_TRUE(
        identical(y, Tensor::from<int16_t>({2, 2, 3}, {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11})));
}

TEST(Strided, repeats_with_stride_zero) {
    const Tensor x = counted({2, 1});
    const Shape target = {3, 2, 2};
    const Tensor y = gather(x, {target, broadcast_strides(x.shape(), target), 0});
    EXPECT_TRUE(identical(y, Tensor::from<int16_t>(target, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1})));
}

TEST(Strided, handles_no_dimensions_and_no_elements) {
    EXPECT_EQ(gather(counted({}), Strided::of(counted({}))).at(0), 0);
    EXPECT_EQ(permuted(counted({0, 3}), {1, 0}).shape(), (Shape{3, 0}));
}

TEST(Broadcast, joins_shapes_as_numpy) {
    EXPECT_EQ(broadcast_shapes({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
    EXPECT_EQ(broadcast_shapes({}, {3}), (Shape{3}));
    EXPECT_EQ(broadcast_shapes({0}, {1}), (Shape{0}));
}

TEST(Broadcast, rejects_shapes_that_do_not_fit) {
    EXPECT_THROW((void)broadcast_shapes({2}, {3}), Error);
    EXPECT_THROW((void)broadcast_strides({2}, {3}), Error);
    EXPECT_THROW((void)broadcast_strides({2, 2}, {2}), Error);
}

TEST(NormalizedAxis, counts_from_the_end_and_rejects_axes_outside) {
    EXPECT_EQ(normalized_axis(-1, 3), 2);
    EXPECT_EQ(normalized_axis(0, 0), 0);
    EXPECT_THROW((void)normalized_axis(3, 3), Error);
    EXPECT_THROW((void)normalized_axis(-4, 3), Error);
}

}  // namespace
}  // namespace npuscope::backend
