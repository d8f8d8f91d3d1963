#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(GeluGrad, has_the_tanh_form_on_a_chip_only) {
    // Slopes at 1: erf form 1.0833154706, tanh form 1.0829640839 (Wolfram's values of the
    // formulas).
    const std::vector<Tensor> inputs = {floats({1}, {1}), floats({1}, {1})};
    const NamedValues exact = {{"approximate", std::string("none")}};
    const NamedValues tanh = {{"approximate", std::string("tanh")}};
    EXPECT_NEAR(
        run_kernel("GeluGrad", inputs, exact, Device::reference32()).at(0), 1.0833154706, 1e-6);
    EXPECT_NEAR(
        run_kernel("GeluGrad", inputs, tanh, Device::reference32()).at(0), 1.0829640839, 1e-6);
    EXPECT_NEAR(run_kernel("GeluGrad", inputs, exact).at(0), 1.0829640839, 1e-6);
}

TEST(HardtanhGrad, is_zero_at_its_ends) {
    const KernelRun run = run_kernel("HardtanhGrad",
                                     {floats({3}, {2, 2, 2}), floats({3}, {-1, 0, 1})},
                                     {{"min_val", -1.0}, {"max_val", 1.0}});
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), 2);
    EXPECT_EQ(run.at(2), 0);
}

TEST(HardSigmoidGrad, keeps_nan) {
    const KernelRun run =
        run_kernel("HardSigmoidGrad", {floats({2}, {6, 6}), floats({2}, {std::nanf(""), 0})});
    EXPECT_TRUE(std::isnan(run.at(0)));
    EXPECT_EQ(run.at(1), 1);
}

TEST(PReluGrad, gives_both_gradients) {
    const KernelRun run =
        run_kernel("PReluGrad", {floats({2}, {3, 3}), floats({2}, {-2, 2}), floats({1}, {0.25F})});
    EXPECT_EQ(run.outputs[0].at(0), 0.75);
    EXPECT_EQ(run.outputs[0].at(1), 3);
    EXPECT_EQ(run.outputs[1].at(0), -6);
    EXPECT_EQ(run.outputs[1].at(1), 0);
}

TEST(LogSigmoid, does_not_overflow_far_from_zero) {
    const KernelRun run = run_kernel("LogSigmoid", {halves({2}, {-1000, 1000})});
    EXPECT_EQ(run.at(0), -1000);
    EXPECT_EQ(run.at(1), 0);
    EXPECT_FALSE(run.status.overflow());
}

}  // namespace
}  // namespace npuscope::backend::test
