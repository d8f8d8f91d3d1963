#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(ReluGradient, passes_where_the_input_was_positive) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const KernelRun run =
        run_kernel("ReluGrad", {halves({4}, {1, 2, 3, 4}), halves({4}, {-1, 0, 5, nan})}, {}, b());
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), 0);
    EXPECT_EQ(run.at(2), 3);
    EXPECT_EQ(run.at(3), 4);
}

TEST(ThresholdGradient, cuts_at_the_threshold_itself) {
    const KernelRun run = run_kernel(
        "ThresholdGradV2D", {floats({2}, {1, 2}), floats({2}, {0.5, 0.625})}, {{"threshold", 0.5}});
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), 2);
}

TEST(ActivationGradients, at_points_known_by_hand) {
    EXPECT_EQ(run_kernel("TanhGrad", {halves({1}, {2}), halves({1}, {0.5})}).at(0), 1.5);
    EXPECT_EQ(run_kernel("SigmoidGrad", {halves({1}, {2}), halves({1}, {0.25})}).at(0), 0.375);
    EXPECT_EQ(run_kernel("SwishGrad", {halves({1}, {2}), halves({1}, {0})}).at(0), 1);
}

TEST(ActivationGradients, rejects_two_dtypes) {
    EXPECT_THROW((void)run_kernel("ReluGrad", {halves({1}, {2}), floats({1}, {1})}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
