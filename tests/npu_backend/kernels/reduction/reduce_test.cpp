#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues over(IntList axes, bool keep = false) {
    return {{"axes", std::move(axes)}, {"keep_dims", keep}};
}

TEST(ReduceSum, widens_float16_to_float32) {
    const KernelRun run = run_kernel("ReduceSum", {halves({3}, {2048, 1, 1})}, over({0}));
    EXPECT_EQ(run.at(0), 2050);
}

TEST(ReduceSum, saturates_once_at_the_end) {
    // 60000 + 60000 - 60000: only a float16 tree would saturate in between.
    EXPECT_EQ(run_kernel("ReduceSum", {halves({3}, {60000, 60000, -60000})}, over({0})).at(0),
              60000);
    const KernelRun run = run_kernel("ReduceSum", {halves({2}, {60000, 60000})}, over({0}));
    EXPECT_EQ(run.at(0), 65504);
    EXPECT_TRUE(run.status.overflow());
}

TEST(ReduceSum, an_infinite_row_does_not_hide_an_overflow_in_another) {
    const float inf = std::numeric_limits<float>::infinity();
    const KernelRun only_inf = run_kernel("ReduceSum", {halves({2, 2}, {inf, 1, 1, 1})}, over({1}));
    EXPECT_FALSE(only_inf.status.overflow());
    const KernelRun both =
        run_kernel("ReduceSum", {halves({2, 2}, {inf, 1, 60000, 60000})}, over({1}));
    EXPECT_TRUE(both.status.overflow());
}

TEST(ReduceMean, multiplies_before_it_adds) {
    // The sum 4 * 1e38 would leave float32; the mean does not.
    const KernelRun run =
        run_kernel("ReduceMean", {floats({4}, {1e38f, 1e38f, 1e38f, 1e38f})}, over({0}));
    EXPECT_FLOAT_EQ(static_cast<float>(run.at(0)), 1e38f);
    EXPECT_FALSE(run.status.overflow());
}

TEST(ReduceMax, nan_wins_and_no_row_is_rejected) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(run_kernel("ReduceMax", {floats({3}, {1, nan, 2})}, over({0})).at(0)));
    EXPECT_EQ(run_kernel("ArgMaxV2", {floats({3}, {1, nan, 2})}, over({0})).at(0), 1);
    EXPECT_THROW((void)run_kernel("ReduceMax", {floats({0}, {})}, over({0})), Error);
}

TEST(ReduceSum, integers_are_exact) {
    const Tensor x = Tensor::from<int64_t>({2}, {int64_t{1} << 53, 1});
    EXPECT_EQ(run_kernel("ReduceSum", {x}, over({0})).outputs[0].as<int64_t>()[0],
              (int64_t{1} << 53) + 1);
}

TEST(ReduceSum, keeps_reduced_axes_when_asked) {
    const Tensor x = floats({1, 2, 2}, {1, 2, 3, 4});
    EXPECT_EQ(run_kernel("ReduceSum", {x}, over({0, 2}, true)).outputs[0].shape(),
              (Shape{1, 2, 1}));
}

}  // namespace
}  // namespace npuscope::backend::test
