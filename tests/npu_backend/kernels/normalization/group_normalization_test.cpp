#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(GroupNorm, normalises_each_group) {
    const KernelRun run =
        run_kernel("GroupNorm",
                   {floats({1, 2, 2}, {1, 3, 10, 30}), floats({2}, {1, 2}), floats({2}, {0, 5})},
                   {{"num_groups", int64_t{2}}, {"epsilon", 0.0}});
    EXPECT_EQ(run.at(0), -1);
    EXPECT_EQ(run.at(3), 7);
    EXPECT_EQ(run.outputs[1].at(1), 20);
    EXPECT_FLOAT_EQ(static_cast<float>(run.outputs[2].at(1)), 0.1F);
}

TEST(LayerNormGrad, gives_nothing_to_a_shift_of_the_row) {
    const KernelRun run = run_kernel("LayerNormGrad",
                                     {floats({1, 2}, {3, 3}),
                                      floats({1, 2}, {-1, 1}),
                                      floats({1}, {0}),
                                      floats({1}, {1}),
                                      floats({2}, {1, 1})});
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.outputs[1].at(0), -3);
    EXPECT_EQ(run.outputs[2].at(0), 3);
}

TEST(GroupNorm, rejects_channels_that_do_not_divide) {
    EXPECT_THROW((void)run_kernel(
                     "GroupNorm",
                     {floats({1, 3}, {1, 2, 3}), floats({3}, {1, 1, 1}), floats({3}, {0, 0, 0})},
                     {{"num_groups", int64_t{2}}, {"epsilon", 0.0}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
