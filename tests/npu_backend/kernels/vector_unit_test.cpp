// The options of single vector instructions inside the recipes that use them.
#include "npu_backend/numerics/vector_unit.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

Device with(const char* name, std::vector<std::string> settings) {
    return Device::npu(chip(name), settings);
}

struct Recipe {
    const char* kernel;
    std::vector<Tensor> inputs;
    NamedValues attributes;
};

std::vector<Recipe> recipes() {
    const Tensor x = floats({1, 4}, {-1.3f, 0.2f, 0.7f, 2.1f});
    const Tensor one = floats({4}, {1, 1, 1, 1});
    const Tensor zero = floats({4}, {0, 0, 0, 0});
    const NamedValues axes = {{"axes", IntList{1}}};
    const NamedValues epsilon = {{"epsilon", 1e-5}};
    return {{"SoftmaxV2", {x}, axes},
            {"LogSoftmaxV2", {x}, axes},
            {"Sigmoid", {x}, {}},
            {"Tanh", {x}, {}},
            {"Gelu", {x}, {{"approximate", std::string("tanh")}}},
            {"Swish", {x}, {{"scale", 1.0}}},
            {"SwishGrad", {x, x}, {}},
            {"LogSoftmaxGrad", {x, x}, axes},
            {"LayerNorm", {x, one, zero}, {{"begin_norm_axis", int64_t{1}}, {"epsilon", 1e-5}}},
            {"BNInferGrad", {x, one, floats({4}, {0.3f, 0.7f, 1.1f, 3})}, epsilon}};
}

/// Largest difference between two runs, in units of the largest result's last place.
double units_apart(const Recipe& recipe, const Device& one, const Device& other) {
    const Tensor a = run_kernel(recipe.kernel, recipe.inputs, recipe.attributes, one).outputs[0];
    const Tensor b = run_kernel(recipe.kernel, recipe.inputs, recipe.attributes, other).outputs[0];
    double largest = 0;
    double apart = 0;
    for (int64_t i = 0; i < a.numel(); ++i) {
        largest = std::max(largest, std::fabs(a.at(i)));
        apart = std::max(apart, std::fabs(a.at(i) - b.at(i)));
    }
    return apart / std::ldexp(1.0, std::ilogb(largest) - 23);
}

TEST(VectorUnit, exp_ulp_reaches_every_recipe_with_an_exponential_or_logarithm) {
    for (const Recipe& recipe : recipes()) {
        const std::string kernel = recipe.kernel;
        const double apart = units_apart(recipe, b(), with("910B", {"exp_ulp=16"}));
        if (kernel == "BNInferGrad") {
            EXPECT_EQ(apart, 0);
        } else {
            EXPECT_GT(apart, 0) << kernel;
            // 16 units of an exponential, of which a recipe uses up to three.
            EXPECT_LT(apart, 200) << kernel;
        }
    }
}

TEST(VectorUnit, rec_ulp_reaches_the_recipes_that_take_a_reciprocal) {
    for (const Recipe& recipe : recipes()) {
        const std::string kernel = recipe.kernel;
        const double apart = units_apart(recipe, b(), with("910B", {"rec_ulp=16"}));
        const bool takes = kernel == "Sigmoid" || kernel == "SwishGrad" || kernel == "BNInferGrad";
        EXPECT_EQ(apart > 0, takes) << kernel << " " << apart;
        EXPECT_LT(apart, 64) << kernel;
    }
}

TEST(VectorUnit, sigmoid_that_stays_in_float16_errs_in_units_of_float16) {
    // e^0 = 1 moves by 2 units of 2^-10 (up or down), so that 1 / 2 becomes 1 / (2 +- 2^-9).
    const KernelRun run =
        run_kernel("Sigmoid", {halves({1}, {0})}, {}, with("910A", {"exp_ulp=2"}));
    const double up = to_double(npuscope::to_float16(1 / (2 + 0x1p-9)));
    const double down = to_double(npuscope::to_float16(1 / (2 - 0x1p-9)));
    EXPECT_TRUE(run.at(0) == up || run.at(0) == down) << run.at(0);
    EXPECT_EQ(run_kernel("Sigmoid", {halves({1}, {0})}, {}, a()).at(0), 0.5);
}

TEST(VectorUnit, vec_ftz_clears_subnormal_steps) {
    // e^-100 = 3.8e-44 is subnormal.
    const std::vector<Tensor> row = {floats({1, 2}, {0, -100})};
    const NamedValues last = {{"axes", IntList{1}}};
    EXPECT_GT(run_kernel("SoftmaxV2", row, last, b()).at(1), 0);
    EXPECT_EQ(run_kernel("SoftmaxV2", row, last, with("910B", {"vec_ftz=on"})).at(1), 0);
    // 1 / (1 + e^88) = 6e-39.
    const std::vector<Tensor> low = {floats({1}, {-88})};
    EXPECT_GT(run_kernel("Sigmoid", low, {}, b()).at(0), 0);
    EXPECT_EQ(run_kernel("Sigmoid", low, {}, with("910B", {"vec_ftz=on"})).at(0), 0);
    EXPECT_GT(run_kernel("Swish", {floats({1}, {0x1p-127f})}, {{"scale", 1.0}}, b()).at(0), 0);
    EXPECT_EQ(
        run_kernel(
            "Swish", {floats({1}, {0x1p-127f})}, {{"scale", 1.0}}, with("910B", {"vec_ftz=on"}))
            .at(0),
        0);
    // A subnormal variance is 0: the deviation has no inverse (1 * inf + (0 - 0 * inf)).
    const std::vector<Tensor> norm = {floats({1, 1}, {1}),
                                      floats({1}, {1}),
                                      floats({1}, {0}),
                                      floats({1}, {0}),
                                      floats({1}, {0x1p-130f})};
    const NamedValues epsilon = {{"epsilon", 0.0}};
    EXPECT_EQ(run_kernel("BNInfer", norm, epsilon, b()).at(0), 0x1p65);
    EXPECT_TRUE(
        std::isnan(run_kernel("BNInfer", norm, epsilon, with("910B", {"vec_ftz=on"})).at(0)));
}

TEST(VectorUnit, saturation_of_float32_reaches_inside_a_recipe) {
    // e^1e6 inside the softmax of a maximum that float16 cut off: inf / inf without saturation.
    const std::vector<Tensor> row = {floats({1, 2}, {1e6f, 0})};
    const NamedValues last = {{"axes", IntList{1}}};
    EXPECT_TRUE(std::isnan(run_kernel("SoftmaxV2", row, last, a()).at(0)));
    const KernelRun run = run_kernel("SoftmaxV2", row, last, with("910A", {"fp32_sat_910A=on"}));
    EXPECT_EQ(run.at(0), 1);
    EXPECT_EQ(run.at(1), 0);
}

TEST(VectorUnit, float64_and_references_have_no_such_options) {
    const std::vector<std::string> settings = {"exp_ulp=64", "rec_ulp=64", "vec_ftz=on"};
    const Numerics numerics{Device::npu(chip("910B"), settings), 1};
    const VectorUnit<double> unit(numerics);
    EXPECT_EQ(unit.exp(1.0), std::exp(1.0));
    EXPECT_EQ(unit.ln(3.0), std::log(3.0));
    EXPECT_EQ(unit.reciprocal(3.0), 1.0 / 3.0);
    EXPECT_EQ(unit.divide(0x1p-1060, 2.0), 0x1p-1061);
    EXPECT_EQ(unit.square_root(2.0), std::sqrt(2.0));
}

TEST(Division, flushes_subnormals_when_asked) {
    const std::vector<Tensor> inputs = {floats({3}, {0x1p-130f, 1, 0x1p-126f}),
                                        floats({3}, {0x1p-20f, 0x1p-130f, 2})};
    const KernelRun kept = run_kernel("RealDiv", inputs, {}, b());
    EXPECT_EQ(kept.at(0), 0x1p-110);
    EXPECT_TRUE(std::isinf(kept.at(1)));
    EXPECT_EQ(kept.at(2), 0x1p-127);
    const KernelRun flushed = run_kernel("RealDiv", inputs, {}, with("910B", {"vec_ftz=on"}));
    EXPECT_EQ(flushed.at(0), 0);
    EXPECT_TRUE(std::isinf(flushed.at(1)));
    EXPECT_EQ(flushed.at(2), 0);
}

}  // namespace
}  // namespace npuscope::backend::test
