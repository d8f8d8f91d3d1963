#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(MaxPool3D, takes_the_first_of_equals) {
    const KernelRun run = run_kernel("MaxPool3D",
                                     {floats({1, 1, 2, 1, 2}, {4, 7, 7, 1})},
                                     {{"ksize", IntList{1, 1, 2, 1, 2}},
                                      {"strides", IntList{1, 1, 1, 1, 1}},
                                      {"pads", IntList{0, 0, 0, 0, 0, 0}}});
    EXPECT_EQ(run.at(0), 7);
    EXPECT_EQ(run.outputs[1].at(0), 1);
}

TEST(AvgPool3D, counts_padding_or_not) {
    const auto pool = [](bool include) {
        return run_kernel("AvgPool3D",
                          {floats({1, 1, 1, 1, 2}, {4, 8})},
                          {{"ksize", IntList{1, 1, 1, 1, 2}},
                           {"strides", IntList{1, 1, 1, 1, 2}},
                           {"pads", IntList{0, 0, 0, 0, 1, 1}},
                           {"count_include_pad", include}})
            .at(0);
    };
    EXPECT_EQ(pool(true), 2);
    EXPECT_EQ(pool(false), 4);
}

TEST(AdaptiveAvgPool2d, shares_what_does_not_divide) {
    // Windows of 5 elements for 3 outputs: [0, 2), [1, 4), [3, 5).
    const KernelRun run = run_kernel("AdaptiveAvgPool2d",
                                     {floats({1, 1, 1, 5}, {1, 2, 3, 4, 8})},
                                     {{"output_size", IntList{1, 3}}});
    EXPECT_EQ(run.at(0), 1.5);
    EXPECT_EQ(run.at(1), 3);
    EXPECT_EQ(run.at(2), 6);
}

TEST(AdaptiveMaxPool2d, gives_places) {
    const KernelRun run = run_kernel(
        "AdaptiveMaxPool2d", {floats({1, 2, 2}, {1, 9, 3, 4})}, {{"output_size", IntList{2, 1}}});
    EXPECT_EQ(run.at(0), 9);
    EXPECT_EQ(run.outputs[1].at(1), 3);
}

TEST(AvgPool3D, rejects_windows_that_do_not_fit) {
    EXPECT_THROW((void)run_kernel("AvgPool3D",
                                  {floats({1, 1, 1, 1, 2}, {4, 8})},
                                  {{"ksize", IntList{1, 1, 1, 1, 3}},
                                   {"strides", IntList{1, 1, 1, 1, 1}},
                                   {"pads", IntList{0, 0, 0, 0, 0, 0}}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
