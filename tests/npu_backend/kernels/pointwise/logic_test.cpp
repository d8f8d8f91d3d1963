#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Logic, tells_nan_from_inf) {
    const float inf = std::numeric_limits<float>::infinity();
    const Tensor x = Tensor::from<float>({4}, {1, inf, std::nanf(""), -inf});
    const Tensor nan = run_kernel("IsNan", {x}).outputs[0];
    const Tensor infinite = run_kernel("IsInf", {x}).outputs[0];
    for (int64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(nan.at(i), i == 2 ? 1 : 0);
        EXPECT_EQ(infinite.at(i), i == 1 || i == 3 ? 1 : 0);
    }
}

TEST(Logic, shifts_by_the_width_leave_nothing) {
    const Tensor x = Tensor::from<uint8_t>({2}, {129, 129});
    const Tensor by = Tensor::from<uint8_t>({2}, {1, 8});
    const Tensor left = run_kernel("LeftShift", {x, by}).outputs[0];
    EXPECT_EQ(left.at(0), 2);
    EXPECT_EQ(left.at(1), 0);
    const Tensor right = run_kernel("RightShift", {x, by}).outputs[0];
    EXPECT_EQ(right.at(0), 64);
    EXPECT_EQ(right.at(1), 0);
}

TEST(Logic, rejects_integer_remainders_by_zero) {
    const Tensor zero = Tensor::scalar<int32_t>(0);
    EXPECT_THROW((void)run_kernel("Mod", {Tensor::scalar<int32_t>(3), zero}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
