#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues reduced(const char* reduction) {
    return {{"reduction", std::string(reduction)}, {"ignore_index", int64_t{-100}}};
}

Tensor classes(std::vector<int64_t> values) {
    return Tensor::from<int64_t>({static_cast<int64_t>(values.size())},
                                 std::span<const int64_t>(values));
}

TEST(NllLoss, weighs_the_mean) {
    const KernelRun run =
        run_kernel("NLLLoss",
                   {floats({2, 2}, {-1, -2, -3, -5}), classes({1, 0}), floats({2}, {3, 1})},
                   reduced("mean"));
    EXPECT_FLOAT_EQ(static_cast<float>(run.at(0)), 11.0f / 4);  // (2 * 1 + 3 * 3) / (1 + 3)
    EXPECT_EQ(run.outputs[1].at(0), 4);
}

TEST(NllLoss, leaves_ignored_rows_out) {
    const KernelRun run =
        run_kernel("NLLLoss",
                   {floats({2, 2}, {-1, -2, -3, -5}), classes({1, -100}), floats({2}, {1, 1})},
                   reduced("sum"));
    EXPECT_EQ(run.at(0), 2);
    EXPECT_EQ(run.outputs[1].at(0), 1);
}

TEST(NllLoss, rejects_a_target_that_is_no_class) {
    EXPECT_THROW((void)run_kernel("NLLLoss",
                                  {floats({1, 2}, {-1, -2}), classes({2}), floats({2}, {1, 1})},
                                  reduced("mean")),
                 Error);
}

TEST(NllLossGradient, lies_at_the_targets) {
    const KernelRun run = run_kernel("NLLLossGrad",
                                     {floats({2, 2}, {0, 0, 0, 0}),
                                      floats({1}, {8}),
                                      classes({1, 0}),
                                      floats({2}, {1, 1}),
                                      floats({}, {2})},
                                     reduced("mean"));
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), -4);
    EXPECT_EQ(run.at(2), -4);
    EXPECT_EQ(run.at(3), 0);
}

TEST(SoftmaxGradient, of_equal_shares) {
    const NamedValues axes = {{"axes", IntList{1}}};
    const KernelRun plain =
        run_kernel("SoftmaxGrad", {halves({1, 2}, {3, 1}), halves({1, 2}, {0.5, 0.5})}, axes);
    EXPECT_EQ(plain.at(0), 0.5);
    EXPECT_EQ(plain.at(1), -0.5);
    const float share = -std::log(2.0f);
    const KernelRun logarithm = run_kernel(
        "LogSoftmaxGrad", {floats({1, 2}, {3, 1}), floats({1, 2}, {share, share})}, axes);
    EXPECT_NEAR(logarithm.at(0), 1, 1e-6);
    EXPECT_NEAR(logarithm.at(1), -1, 1e-6);
}

TEST(SoftmaxGradient, rejects_two_shapes) {
    EXPECT_THROW((void)run_kernel("SoftmaxGrad",
                                  {halves({1, 2}, {3, 1}), halves({2, 1}, {0.5, 0.5})},
                                  {{"axes", IntList{1}}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
