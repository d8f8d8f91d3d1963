#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues last(int64_t axis) {
    return {{"axes", IntList{axis}}};
}

TEST(SoftmaxV2, takes_the_last_axis_maximum_in_float16_on_910A) {
    // 2049 is 2048 in float16: the row's exponentials are e^1 and e^0, the quotient stays right.
    const KernelRun run = run_kernel("SoftmaxV2", {floats({1, 2}, {2049, 2048})}, last(1), a());
    EXPECT_NEAR(run.at(0), 1 / (1 + std::exp(-1.0)), 1e-6);
    // Beyond float16 the maximum saturates and the exponential leaves float32.
    const KernelRun beyond = run_kernel("SoftmaxV2", {floats({1, 2}, {1e6f, 0})}, last(1), a());
    EXPECT_TRUE(beyond.status.overflow());
    EXPECT_EQ(run_kernel("SoftmaxV2", {floats({1, 2}, {1e6f, 0})}, last(1), b()).at(0), 1);
}

TEST(SoftmaxV2, float16_subtracts_the_maximum_in_float16) {
    // 0.3 - 8.0078125 in float16 is -7.70703125; NumPy then gives 0x0F5D, and 0x0F5C with the exact
    // one.
    const std::vector<Tensor> row = {halves({1, 2}, {0.3f, 8.0078125f})};
    EXPECT_EQ(run_kernel("SoftmaxV2", row, last(1), a()).half(), 0x0F5D);
    EXPECT_EQ(run_kernel("SoftmaxV2", row, last(1), Device::reference32()).half(), 0x0F5C);
}

TEST(SoftmaxV2, a_row_of_equal_values_is_uniform_and_masked_places_are_zero) {
    const float inf = std::numeric_limits<float>::infinity();
    const KernelRun run = run_kernel("SoftmaxV2", {floats({1, 3}, {2, -inf, 2})}, last(1), b());
    EXPECT_EQ(run.at(0), 0.5);
    EXPECT_EQ(run.at(1), 0);
    EXPECT_FALSE(run.status.overflow());
    EXPECT_TRUE(run.status.input_non_finite());
}

TEST(LogSoftmaxV2, subtracts_the_logarithm_of_the_sum) {
    const KernelRun run = run_kernel("LogSoftmaxV2", {floats({2, 1}, {3, 3})}, last(0), b());
    EXPECT_FLOAT_EQ(static_cast<float>(run.at(0)), -std::log(2.0f));
}

}  // namespace
}  // namespace npuscope::backend::test
