#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(ReverseV2, turns_the_axes_named) {
    const KernelRun run =
        run_kernel("ReverseV2", {floats({2, 2}, {1, 2, 3, 4})}, {{"axis", IntList{0, 1}}});
    EXPECT_EQ(run.at(0), 4);
    EXPECT_EQ(run.at(1), 3);
}

TEST(Roll, goes_round) {
    const KernelRun run = run_kernel(
        "Roll", {floats({3}, {1, 2, 3})}, {{"shifts", IntList{-4}}, {"dims", IntList{0}}});
    EXPECT_EQ(run.at(0), 2);
    EXPECT_EQ(run.at(2), 1);
}

TEST(Tile, adds_axes_in_front) {
    const KernelRun run = run_kernel("Tile", {floats({2}, {1, 2})}, {{"multiples", IntList{2, 2}}});
    EXPECT_EQ(run.outputs[0].shape(), (Shape{2, 4}));
    EXPECT_EQ(run.at(5), 2);
}

TEST(Im2col, and_its_sum_count_each_use) {
    const NamedValues window = {{"ksizes", IntList{1, 2}},
                                {"dilations", IntList{1, 1}},
                                {"pads", IntList{0, 1}},
                                {"strides", IntList{1, 1}},
                                {"image", IntList{1, 1, 1, 2}}};
    const KernelRun columns = run_kernel("Im2col", {floats({1, 1, 1, 2}, {5, 7})}, window);
    EXPECT_EQ(columns.outputs[0].shape(), (Shape{1, 2, 3}));
    EXPECT_EQ(columns.at(0), 0);
    EXPECT_EQ(columns.at(1), 5);
    EXPECT_EQ(columns.at(5), 0);
    const KernelRun image = run_kernel("Col2im", {columns.outputs[0]}, window);
    EXPECT_EQ(image.at(0), 10);
    EXPECT_EQ(image.at(1), 14);
}

TEST(LinSpace, ends_exactly) {
    const KernelRun run =
        run_kernel("LinSpace", {Tensor(DType::kFloat32, {4})}, {{"start", 0.0}, {"stop", 0.3}});
    EXPECT_EQ(run.at(3), static_cast<double>(0.3F));
}

TEST(Eye, is_not_always_square) {
    const KernelRun run = run_kernel("Eye", {Tensor(DType::kInt64, {2, 3})});
    EXPECT_EQ(run.at(4), 1);
    EXPECT_EQ(run.at(5), 0);
}

}  // namespace
}  // namespace npuscope::backend::test
