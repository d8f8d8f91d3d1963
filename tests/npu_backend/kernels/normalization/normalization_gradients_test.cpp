#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

// One channel, x = {1, 3}: mean 2, variance 1; with epsilon 3 the deviation is 2.
const NamedValues kEpsilon = {{"epsilon", 3.0}};

TEST(BatchNormGradient, sums_each_channel) {
    const KernelRun run = run_kernel(
        "BNTrainingUpdateGrad",
        {halves({2, 1}, {4, 8}), halves({2, 1}, {1, 3}), floats({1}, {2}), floats({1}, {1})},
        kEpsilon);
    EXPECT_EQ(run.outputs[0].at(0), 2);  // 4 * -1/2 + 8 * 1/2
    EXPECT_EQ(run.outputs[1].at(0), 12);
    EXPECT_EQ(run.outputs[0].dtype(), DType::kFloat32);
}

TEST(BatchNormGradient, subtracts_what_the_statistics_carry) {
    const KernelRun run = run_kernel("BNTrainingReduceGrad",
                                     {halves({2, 1}, {4, 8}),
                                      halves({2, 1}, {1, 3}),
                                      floats({1}, {2}),
                                      floats({1}, {12}),
                                      floats({1}, {6}),
                                      floats({1}, {2}),
                                      floats({1}, {1})},
                                     kEpsilon);
    EXPECT_EQ(run.at(0), (4 - 6 + 0.5) * 3);  // dy - 12/2 - (x - 2)/2 * 2/2, times 6/2
    EXPECT_EQ(run.at(1), (8 - 6 - 0.5) * 3);
    EXPECT_EQ(run.outputs[0].dtype(), DType::kFloat16);
}

TEST(BatchNormGradient, is_a_factor_outside_training) {
    const KernelRun run =
        run_kernel("BNInferGrad",
                   {halves({1, 2}, {4, 8}), floats({2}, {6, 1}), floats({2}, {1, 13})},
                   kEpsilon);
    EXPECT_EQ(run.at(0), 12);
    EXPECT_EQ(run.at(1), 2);
}

TEST(BatchNormGradient, rejects_vectors_of_another_length) {
    EXPECT_THROW((void)run_kernel("BNInferGrad",
                                  {halves({1, 2}, {4, 8}), floats({1}, {6}), floats({2}, {1, 13})},
                                  kEpsilon),
                 Error);
}

TEST(BatchNormGradient, overflows_float16_in_saturation_mode) {
    const KernelRun run = run_kernel(
        "BNInferGrad", {halves({1, 1}, {60000}), floats({1}, {4}), floats({1}, {1})}, kEpsilon);
    EXPECT_EQ(run.at(0), 65504);
    EXPECT_TRUE(run.status.overflow());
}

}  // namespace
}  // namespace npuscope::backend::test
