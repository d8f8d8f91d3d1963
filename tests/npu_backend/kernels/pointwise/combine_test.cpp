#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Addcmul, multiplies_in_float32_and_rounds_once) {
    // 1 + 2^-11 * 0.75 is beyond half of float16's unit above 1.
    const KernelRun run = run_kernel(
        "Addcmul",
        {halves({1}, {1}), halves({1}, {0x1p-10f}), halves({1}, {0.75f}), halves({}, {1})});
    EXPECT_EQ(run.half(), 0x3c01);
}

TEST(Addcdiv, divides_before_it_scales) {
    const KernelRun run = run_kernel(
        "Addcdiv",
        {floats({2}, {10, 10}), floats({2}, {3, 1}), floats({1}, {4}), floats({}, {-2})});
    EXPECT_EQ(run.at(0), 8.5);
    EXPECT_EQ(run.at(1), 9.5);
}

TEST(Lerp, reaches_both_ends) {
    const KernelRun run = run_kernel(
        "Lerp", {floats({3}, {1, 1, 2}), floats({3}, {0.1F, 0.1F, 4}), floats({3}, {0, 1, 0.5})});
    EXPECT_EQ(run.at(0), 1);
    EXPECT_EQ(run.at(1), static_cast<double>(0.1F));
    EXPECT_EQ(run.at(2), 3);
}

TEST(Lerp, refuses_other_dtypes) {
    EXPECT_THROW((void)run_kernel("Lerp", {floats({1}, {1}), halves({1}, {1}), floats({1}, {0})}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
