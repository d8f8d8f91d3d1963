#include "compare/growth/allowance.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// A result of 100 elements, off by so much of its norm everywhere.
struct Made {
    explicit Made(double off, double came_in, int bits) {
        tensor.sums.numel = tensor.sums.pairs = 100;
        run.largest = off;
        run.tensor = &tensor;
        run.out = {off, off, 0};
        run.entry.worst = {came_in, came_in, 0};
        run.bits = bits;
    }

    TensorResult tensor{};
    MeasuredRun run{};
};

TEST(Allowance, RoundingToNearestLeavesHalfAUnit) {
    // The largest error of rounding to bfloat16 is 2^-9 of a number's power of two.
    EXPECT_EQ(rounding_to(8).norm, std::ldexp(1.0, -9));
    EXPECT_EQ(rounding_to(8).peak, std::ldexp(1.0, -8));
    EXPECT_EQ(rounding_to(11).norm, std::ldexp(1.0, -12));
    EXPECT_EQ(rounding_to(53).norm, rounding_to(24).norm);
}

TEST(Allowance, WhatCameInMayGrowFourfold) {
    EXPECT_LE(growth_of(Made(0.04, 0.01, 24).run), 1);
    EXPECT_GT(growth_of(Made(0.041, 0.01, 24).run), 1);
}

TEST(Allowance, RoundingOfTheFormatIsNoGrowth) {
    EXPECT_LE(growth_of(Made(0.004, 0, 8).run), 1);
    EXPECT_GT(growth_of(Made(0.004, 0, 11).run), 1);
    EXPECT_GT(growth_of(Made(0.01, 0, 8).run), 1);
}

TEST(Allowance, WhatLikeRunsAddIsNoGrowth) {
    Made made(0.004, 0, 24);
    EXPECT_GT(growth_of(made.run), 1);
    made.run.like = 0.001;
    EXPECT_LE(growth_of(made.run), 1);
}

TEST(Allowance, WhereSomethingUnknownCameInAllThatWasMadeBeforeCounts) {
    Made made(0.04, 0, 24);
    made.run.before = {0.02, 0.02, 0};
    EXPECT_GT(growth_of(made.run), 1);
    made.run.entry.is_known = false;
    EXPECT_LE(growth_of(made.run), 1);
}

TEST(Allowance, AScaleIsSeenThatIsLessThanTheNoise) {
    Made made(0.01, 0.005, 8);
    EXPECT_LE(growth_of(made.run), 1);
    made.run.out.scale = 0.01;
    EXPECT_GT(growth_of(made.run), 1);
}

TEST(Allowance, OneElementFarOffIsSeen) {
    Made made(0.002, 0, 8);
    made.run.out.peak = 0.2;
    EXPECT_GT(growth_of(made.run), 1);
}

TEST(Allowance, SumsThatCancelMayBeOffByWhatTheirTermsAre) {
    // 4096 gradients of 1 a bias, which add up to nothing in exact arithmetic.
    Made made(1, 0, 24);
    made.run.largest = 1e-4;
    EXPECT_GT(growth_of(made.run), 1);
    made.run.entry.sum = 4096.0 * 100;
    made.run.entry.size = 64.0 * 10;
    EXPECT_EQ(growth_of(made.run), 0);
    made.run.largest = 1e-3;  // more than roundings make by chance, less than they could
    EXPECT_GT(growth_of(made.run), 1);
    made.run.entry.worst.norm = 1e-6;
    EXPECT_EQ(growth_of(made.run), 0);
}

TEST(Allowance, WhatSumsInFloat32LeaveIsNoGrowth) {
    Made made(1e-6, 0, 24);
    made.run.out.scale = 1e-6;
    EXPECT_EQ(growth_of(made.run), 0);
}

TEST(Allowance, ABackwardPassMayTurnGatesOnTheWay) {
    Made made(0.04, 0, 24);
    const SourceOp op{};
    made.run.crossed = {&op};
    EXPECT_GT(growth_of(made.run), 1);
    made.run.is_gradient = true;
    EXPECT_LE(growth_of(made.run), 1);
    made.run.out.norm = std::numeric_limits<double>::infinity();
    EXPECT_GT(growth_of(made.run), 1);
}

TEST(Allowance, NoiseOfFewElementsMovesTheScaleByMore) {
    Made few(0.001, 0.01, 24);
    few.tensor.sums.pairs = 16;
    EXPECT_EQ(unsuspicious(few.run).scale, 0.01 / 4);  // 1 / sqrt 16
    few.tensor.sums.pairs = 1 << 20;
    EXPECT_EQ(unsuspicious(few.run).scale, 0.01 / 8);
}

}  // namespace
}  // namespace npuscope::compare
