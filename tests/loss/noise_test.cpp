#include "loss/noise.h"

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

const double kNan = std::nan("");

TEST(Median, is_the_middle_of_finite_values) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(median({kNan, 5}), 5);
    EXPECT_EQ(median({}), 0);
}

TEST(StepNoise, is_zero_on_a_line_and_where_too_little_is_known) {
    EXPECT_EQ(step_noise(std::vector<double>{1, 2, 3, 4}), 0);
    EXPECT_EQ(step_noise(std::vector<double>{1, 2}), 0);
    EXPECT_EQ(step_noise(std::vector<double>{1, kNan, 3, 4}), 0);
}

// Second differences of 0 1 0 1 0 are 2, -2, 2: 1.4826 * 2 / sqrt(6).
TEST(StepNoise, agrees_with_a_hand_calculation) {
    EXPECT_DOUBLE_EQ(step_noise(std::vector<double>{0, 1, 0, 1, 0}), 1.4826 * 2 / std::sqrt(6.0));
}

// 4000 normal numbers of deviation 0.25 on a slope: NumPy's numbers, and its formula for the same.
TEST(StepNoise, finds_the_deviation_of_normal_scatter_as_numpy_does) {
    const test::RunResult made = test::run_python(R"(
import numpy as np
x = np.random.default_rng(7).normal(0, 0.25, 4000) + 10 - 0.001 * np.arange(4000)
print(*[repr(float(v)) for v in x])
print(repr(float(1.4826 * np.median(np.abs(np.diff(x, 2))) / 6 ** 0.5)))
)");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    std::istringstream text(made.out);
    std::vector<double> values(4000);
    for (double& value : values)
        text >> value;
    double expected = 0;
    text >> expected;
    EXPECT_DOUBLE_EQ(step_noise(values), expected);
    EXPECT_NEAR(step_noise(values), 0.25, 0.01);
}

// Blocks' means 1.5, 3.5, 5.5: mean 3.5, deviation 2, error 2 / sqrt(3).
TEST(BlockMean, agrees_with_a_hand_calculation) {
    const BlockMean result = block_mean(std::vector<double>{1, 2, 3, 4, 5, 6}, 3);
    EXPECT_DOUBLE_EQ(result.mean, 3.5);
    EXPECT_DOUBLE_EQ(result.error, 2 / std::sqrt(3.0));
    EXPECT_EQ(block_mean(std::vector<double>{4}, 6).error, 0);
    EXPECT_EQ(block_mean(std::vector<double>{}, 6).mean, 0);
}

}  // namespace
}  // namespace npuscope::loss
