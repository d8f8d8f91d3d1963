#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Trigonometry, saturation_mode_writes_no_inf_and_no_nan_in_float16) {
    EXPECT_EQ(run_kernel("Atanh", {halves({1}, {1})}).at(0), 65504);
    EXPECT_EQ(run_kernel("Acos", {halves({1}, {2})}).at(0), 0);
    EXPECT_EQ(run_kernel("Sinh", {halves({1}, {-20})}).at(0), -65504);
    EXPECT_EQ(run_kernel("Sinh", {halves({1}, {-20})}, {}, b()).at(0), -kInf);
}

TEST(Trigonometry, rejects_integers) {
    EXPECT_THROW((void)run_kernel("Tan", {Tensor::scalar<int32_t>(1)}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
