#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(LayerNorm, gives_mean_and_biased_variance) {
    const KernelRun run = run_kernel(
        "LayerNorm",
        {floats({1, 4}, {1, 2, 3, 6}), floats({4}, {1, 1, 1, 2}), floats({4}, {0, 0, 0, 1})},
        {{"begin_norm_axis", int64_t{1}}, {"epsilon", 0.0}},
        b());
    EXPECT_EQ(run.outputs[1].shape(), (Shape{1, 1}));
    EXPECT_EQ(run.outputs[1].at(0), 3);
    EXPECT_EQ(run.outputs[2].at(0), 3.5);
    EXPECT_NEAR(run.at(3), 2 * 3 / std::sqrt(3.5) + 1, 1e-6);
}

TEST(LayerNorm, rejects_weights_of_another_length) {
    EXPECT_THROW((void)run_kernel("LayerNorm",
                                  {floats({1, 2}, {1, 2}), floats({1}, {1}), floats({1}, {1})},
                                  {{"begin_norm_axis", int64_t{1}}, {"epsilon", 0.0}}),
                 Error);
}

TEST(BNTrainingReduce, keeps_float32_sums_of_float16) {
    const KernelRun run = run_kernel("BNTrainingReduce", {halves({2, 1, 2}, {300, 300, 300, 300})});
    EXPECT_EQ(run.outputs[0].dtype(), DType::kFloat32);
    EXPECT_EQ(run.outputs[1].at(0), 360000);
    EXPECT_FALSE(run.status.overflow());
}

TEST(BNTrainingUpdate, moves_the_running_statistics_by_the_factor) {
    // Channel values 1 and 3: mean 2, biased variance 1, unbiased 2.
    const Tensor one = floats({1}, {1});
    const KernelRun run = run_kernel("BNTrainingUpdate",
                                     {floats({2, 1}, {1, 3}),
                                      floats({1}, {4}),
                                      floats({1}, {10}),
                                      one,
                                      floats({1}, {0}),
                                      floats({1}, {10}),
                                      floats({1}, {6})},
                                     {{"epsilon", 0.0}, {"factor", 0.25}});
    EXPECT_TRUE(identical(run.outputs[0], floats({2, 1}, {-1, 1})));
    EXPECT_EQ(run.outputs[1].at(0), 8);
    EXPECT_EQ(run.outputs[2].at(0), 5);
    EXPECT_EQ(run.outputs[3].at(0), 2);
    EXPECT_EQ(run.outputs[4].at(0), 1);
}

TEST(BNInfer, scales_and_shifts_each_channel) {
    const KernelRun run = run_kernel("BNInfer",
                                     {floats({1, 2, 1}, {5, 5}),
                                      floats({2}, {2, 3}),
                                      floats({2}, {0, 1}),
                                      floats({2}, {1, 2}),
                                      floats({2}, {4, 9})},
                                     {{"epsilon", 0.0}});
    EXPECT_TRUE(identical(run.outputs[0], floats({1, 2, 1}, {4, 4})));
}

}  // namespace
}  // namespace npuscope::backend::test
