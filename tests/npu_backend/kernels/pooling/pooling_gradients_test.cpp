#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(MaxPoolGrad, adds_where_windows_share_their_maximum) {
    const Tensor places = Tensor::from<int64_t>({1, 1, 1, 2}, {2, 2});
    const KernelRun run =
        run_kernel("MaxPoolGradWithArgmaxV1",
                   {floats({1, 1, 1, 4}, {0, 0, 5, 0}), floats({1, 1, 1, 2}, {3, 4}), places});
    EXPECT_EQ(run.at(2), 7);
    EXPECT_EQ(run.at(0), 0);
}

TEST(MaxPoolGrad, rejects_places_outside_the_plane) {
    const Tensor places = Tensor::from<int64_t>({1, 1, 1, 1}, {4});
    EXPECT_THROW(
        (void)run_kernel("MaxPoolGradWithArgmaxV1",
                         {floats({1, 1, 1, 4}, {0, 0, 5, 0}), floats({1, 1, 1, 1}, {3}), places}),
        Error);
}

TEST(AvgPoolV2Grad, shares_among_the_window) {
    const KernelRun run = run_kernel("AvgPoolV2Grad",
                                     {floats({1, 1, 1, 2}, {4, 8})},
                                     {{"orig_input_shape", IntList{1, 1, 1, 3}},
                                      {"ksize", IntList{1, 1, 1, 2}},
                                      {"strides", IntList{1, 1, 1, 1}},
                                      {"pads", IntList{0, 0, 0, 0}},
                                      {"count_include_pad", true}});
    EXPECT_EQ(run.at(0), 2);
    EXPECT_EQ(run.at(1), 6);
    EXPECT_EQ(run.at(2), 4);
}

TEST(AdaptiveAvgPool2dGrad, shares_among_the_window) {
    // The windows of 5 elements are [0, 2), [1, 4), [3, 5).
    const KernelRun run = run_kernel("AdaptiveAvgPool2dGrad",
                                     {floats({1, 1, 1, 3}, {2, 3, 4})},
                                     {{"orig_input_shape", IntList{1, 1, 1, 5}}});
    EXPECT_EQ(run.at(0), 1);
    EXPECT_EQ(run.at(1), 2);
    EXPECT_EQ(run.at(3), 3);
}

TEST(AvgPoolV2Grad, rejects_a_gradient_of_another_shape) {
    EXPECT_THROW((void)run_kernel("AvgPoolV2Grad",
                                  {floats({1, 1, 1, 3}, {4, 8, 1})},
                                  {{"orig_input_shape", IntList{1, 1, 1, 3}},
                                   {"ksize", IntList{1, 1, 1, 2}},
                                   {"strides", IntList{1, 1, 1, 1}},
                                   {"pads", IntList{0, 0, 0, 0}}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
