#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues form(const char* text) {
    return {{"approximate", std::string(text)}};
}

TEST(GeluKernel, chips_compute_the_tanh_form_whatever_was_asked) {
    // gelu(1): erf form 0.8413447, tanh form 0.8411920 (both by an independent calculation).
    const Tensor one = floats({1}, {1});
    EXPECT_NEAR(run_kernel("Gelu", {one}, form("none"), a()).at(0), 0.8411920, 1e-6);
    EXPECT_NEAR(run_kernel("Gelu", {one}, form("none"), b()).at(0), 0.8411920, 1e-6);
    EXPECT_NEAR(
        run_kernel("Gelu", {one}, form("none"), Device::reference32()).at(0), 0.8413447, 1e-6);
    EXPECT_NEAR(
        run_kernel("Gelu", {one}, form("tanh"), Device::reference32()).at(0), 0.8411920, 1e-6);
}

TEST(SigmoidKernel, float16_rounds_each_step_on_910A) {
    // e^-1 = 0.36791992 in float16, plus 1 = 1.3681641, its inverse 0.73091... rounds to
    // 0.73095703.
    EXPECT_EQ(run_kernel("Sigmoid", {halves({1}, {1})}, {}, a()).at(0), 0.73095703125);
}

TEST(SigmoidKernel, clamps_its_input_on_910A) {
    // At -11.09 the exponential is still finite in float16; without the clamp the result is 0.
    EXPECT_GT(run_kernel("Sigmoid", {halves({1}, {-100})}, {}, a()).at(0), 0);
    EXPECT_EQ(run_kernel("Sigmoid", {halves({1}, {-100})}, {}, b()).at(0), 0);
}

TEST(TanhKernel, loses_relative_accuracy_near_zero_as_its_recipe_does) {
    const double x = 1e-4;
    const double y = run_kernel("Tanh", {floats({1}, {1e-4f})}, {}, b()).at(0);
    EXPECT_NEAR(y, std::tanh(x), 1e-7);
    EXPECT_NE(static_cast<float>(y), std::tanh(1e-4f));
    EXPECT_EQ(run_kernel("Tanh", {floats({1}, {0})}, {}, b()).at(0), 0);
}

TEST(Activations, large_inputs_raise_no_overflow) {
    for (const char* kernel : {"Tanh", "Sigmoid"})
        EXPECT_EQ(
            run_kernel(kernel, {floats({2}, {1000, -1000})}).status.bits & FloatStatus::kOverflow,
            0u)
            << kernel;
}

}  // namespace
}  // namespace npuscope::backend::test
