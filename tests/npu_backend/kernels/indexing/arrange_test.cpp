#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(ConcatD, rejects_shapes_that_differ_elsewhere) {
    EXPECT_THROW((void)run_kernel("ConcatD",
                                  {halves({1, 2}, {1, 2}), halves({1, 3}, {1, 2, 3})},
                                  {{"concat_dim", int64_t{0}}}),
                 Error);
}

TEST(GatherV2, counts_negative_indices_from_the_end_and_rejects_others) {
    const Tensor x = floats({3}, {1, 2, 3});
    const NamedValues axis = {{"axis", int64_t{0}}};
    EXPECT_EQ(run_kernel("GatherV2", {x, Tensor::from<int64_t>({1}, {int64_t{-1}})}, axis).at(0),
              3);
    EXPECT_THROW((void)run_kernel("GatherV2", {x, Tensor::from<int64_t>({1}, {int64_t{3}})}, axis),
                 Error);
    EXPECT_THROW((void)run_kernel("GatherV2", {x, floats({1}, {0})}, axis), Error);
}

TEST(PadV3, pads_and_cuts) {
    const KernelRun run = run_kernel("PadV3",
                                     {floats({2, 2}, {1, 2, 3, 4}), Tensor::scalar<float>(9)},
                                     {{"paddings", IntList{1, 0, -1, 1}}});
    EXPECT_TRUE(identical(run.outputs[0], floats({3, 2}, {9, 9, 2, 9, 4, 9})));
}

TEST(SelectV2, broadcasts_its_condition) {
    const KernelRun run = run_kernel(
        "SelectV2",
        {Tensor::from<bool>({2, 1}, {true, false}), floats({2}, {1, 2}), Tensor::scalar<float>(7)});
    EXPECT_TRUE(identical(run.outputs[0], floats({2, 2}, {1, 2, 7, 7})));
}

TEST(ClipByValue, keeps_nan) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const KernelRun run = run_kernel(
        "ClipByValue",
        {floats({3}, {-5, nan, 5}), Tensor::scalar<float>(-1), Tensor::scalar<float>(1)});
    EXPECT_EQ(run.at(0), -1);
    EXPECT_TRUE(std::isnan(run.at(1)));
    EXPECT_EQ(run.at(2), 1);
}

}  // namespace
}  // namespace npuscope::backend::test
