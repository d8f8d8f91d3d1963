#include "npu_backend/kernels/rows.h"

#include <cmath>
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

Float16 half_of(float value) {
    return npuscope::to_float16(value);
}

// The published rows of the half ReduceSum boundary table: some special values, then ones.
TEST(HalfTreeSum, gives_the_published_rows) {
    const float inf = INFINITY;
    struct Row {
        std::vector<float> first;
        size_t count;
        float saturated;
        float ieee;  // nan for nan
    };
    const std::vector<Row> rows = {{{inf, -inf, NAN}, 256, 252, NAN},
                                   {{inf, -inf}, 256, 254, NAN},
                                   {{inf, NAN}, 256, 254, NAN},
                                   {{-inf}, 256, -65248, -inf},
                                   {{inf}, 256, 65504, inf},
                                   {{NAN}, 256, 254, NAN},
                                   {{-inf}, 128, -65376, -inf},
                                   {{NAN}, 128, 126, NAN}};
    for (const Row& row : rows) {
        std::vector<Float16> values(row.count, half_of(1));
        for (size_t i = 0; i < row.first.size(); ++i)
            values[i] = half_of(row.first[i]);
        EXPECT_EQ(to_float(half_tree_sum(values, OverflowMode::kSaturate)), row.saturated)
            << row.first[0];
        const float ieee = to_float(half_tree_sum(values, OverflowMode::kInfNan));
        if (std::isnan(row.ieee))
            EXPECT_TRUE(std::isnan(ieee));
        else
            EXPECT_EQ(ieee, row.ieee);
    }
    const std::vector<Float16> largest(256, half_of(65504));
    EXPECT_EQ(half_tree_sum(largest, OverflowMode::kSaturate).bits, 0x7BFF);
    EXPECT_EQ(half_tree_sum(largest, OverflowMode::kInfNan).bits, 0x7C00);
    EXPECT_EQ(half_tree_sum({}, OverflowMode::kInfNan).bits, 0);
}

TEST(HalfTreeSum, rounds_every_node_to_float16) {
    const std::vector<Float16> values = {half_of(2048), half_of(1), half_of(1), half_of(1)};
    EXPECT_EQ(half_tree_sum(values, OverflowMode::kInfNan).bits, 0x6801);
}

TEST(RepeatSum, adds_repeats_in_a_tree_or_one_after_the_other) {
    // Sums of the three repeats of 64: 2^24, 1, 1.
    std::vector<float> tree(192, 0.0f);
    tree[0] = 0x1p24f;
    tree[64] = 1;
    tree[128] = 1;
    std::vector<float> one = tree;
    EXPECT_EQ(repeat_sum(std::span<float>(one), ReduceOrder::kSequential), 0x1p24f);
    std::vector<float> four(256, 0.0f);
    four[0] = 0x1p24f;
    four[128] = 1;
    four[192] = 1;
    EXPECT_EQ(repeat_sum(std::span<float>(four), ReduceOrder::kTree), 0x1p24f + 2);
    // 1 + 2^24 + 1 one by one: each 1 is lost to a tie; in a pair they are not.
    std::vector<float> three = {1, 0x1p24f, 1, 1};
    EXPECT_EQ(repeat_sum(std::span<float>(three), ReduceOrder::kOneByOne), 0x1p24f);
    EXPECT_EQ(repeat_sum(std::span<float>(three), ReduceOrder::kTree), 0x1p24f + 2);
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
