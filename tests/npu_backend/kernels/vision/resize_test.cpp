#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues resize(IntList size, const char* mode, bool align) {
    return {{"size", std::move(size)}, {"mode", std::string(mode)}, {"align_corners", align}};
}

TEST(Resize, interpolates_between_half_pixel_centres) {
    const KernelRun run =
        run_kernel("ResizeD", {floats({1, 1, 2}, {0, 8})}, resize({4}, "linear", false));
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), 2);
    EXPECT_EQ(run.at(2), 6);
    EXPECT_EQ(run.at(3), 8);
}

TEST(Resize, aligns_corners) {
    const KernelRun run =
        run_kernel("ResizeD", {floats({1, 1, 2}, {0, 9})}, resize({4}, "linear", true));
    EXPECT_EQ(run.at(1), 3);
    EXPECT_EQ(run.at(3), 9);
}

TEST(Resize, uses_the_scale_that_was_given) {
    NamedValues attributes = resize({3}, "nearest", false);
    attributes.push_back({"scales", FloatList{3.0}});
    const KernelRun run = run_kernel("UpsampleNearest1d", {floats({1, 1, 2}, {1, 2})}, attributes);
    EXPECT_EQ(run.at(2), 1);
}

TEST(ResizeGrad, adds_the_weights_back) {
    NamedValues attributes = resize({4}, "linear", false);
    attributes.push_back({"input_size", IntList{1, 1, 2}});
    const KernelRun run = run_kernel("ResizeGradD", {floats({1, 1, 4}, {1, 1, 1, 1})}, attributes);
    EXPECT_EQ(run.at(0), 2);
    EXPECT_EQ(run.at(1), 2);
}

TEST(ResizeGrad, rejects_a_gradient_of_another_shape) {
    NamedValues attributes = resize({4}, "linear", false);
    attributes.push_back({"input_size", IntList{1, 1, 2}});
    EXPECT_THROW((void)run_kernel("ResizeGradD", {floats({1, 1, 3}, {1, 1, 1})}, attributes),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
