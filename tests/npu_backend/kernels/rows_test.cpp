#include "npu_backend/kernels/rows.h"

#include <vector>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

TEST(PairwiseSum, adds_neighbours_first) {
    // (2^24 + 1) + (-2^24 + 1): each pair loses its one to rounding or keeps it, by hand.
    std::vector<float> values = {0x1p24f, 1, -0x1p24f, 1};
    EXPECT_EQ(pairwise_sum(std::span<float>(values)), 1.0f);
    std::vector<float> odd = {1, 2, 3, 4, 5};
    EXPECT_EQ(pairwise_sum(std::span<float>(odd)), 15.0f);
    EXPECT_EQ(pairwise_sum(std::span<float>()), 0.0f);
}

TEST(Rows, moves_reduced_axes_to_the_end_and_back) {
    Tensor x(DType::kFloat32, {2, 3, 2});
    float next = 0;
    for (float& value : x.mutable_as<float>())
        value = next++;
    const Rows rows = Rows::over(x, {1});
    EXPECT_EQ(rows.rows, 4);
    EXPECT_EQ(rows.length, 3);
    EXPECT_EQ(rows.kept, (Shape{2, 2}));
    EXPECT_EQ(rows.with_ones, (Shape{2, 1, 2}));
    EXPECT_EQ(rows.data.at(1), 2);
    EXPECT_TRUE(identical(rows.restored(rows.data, x.shape()), x));
}

}  // namespace
}  // namespace npuscope::backend
