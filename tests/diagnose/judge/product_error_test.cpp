#include "diagnose/judge/product_error.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "diagnose/judge/rounded_operands.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;
using test::recorded_run;

const ProductClass& class_named(std::string_view name) {
    const auto classes = product_classes();
    return *std::ranges::find_if(classes,
                                 [&](const ProductClass& row) { return row.name == name; });
}

/// [1 x 2] times [2 x 1].
OpRun product_of(float a0, float a1, float b0, float b1, float result) {
    return recorded_run("mm",
                        {{"self", floats({1, 2}, {a0, a1})}, {"mat2", floats({2, 1}, {b0, b1})}},
                        floats({1, 1}, {result}));
}

double ratio(const OpRun& run, std::string_view name) {
    return ProductError(run).ratio(class_named(name)).value();
}

// y = 1*3 + 2*4 = 11, S = 11, K = 2: 2^-24 ((2 + 2) 11 + 11) + half a unit of 11 in float32 (2^-21)
// and of float32's smallest = 55 2^-24 + 8 2^-24. A result that is 2^-20 = 16 2^-24 off:
TEST(ProductError, is_held_against_the_bound_by_hand) {
    EXPECT_EQ(ratio(product_of(1, 2, 3, 4, 11), "fp32"), 0);
    EXPECT_NEAR(ratio(product_of(1, 2, 3, 4, 11 + 0x1p-20F), "fp32"), 16.0 / 63, 1e-6);
}

// The bound grows with the magnitudes, not with what is left of them: 1000*1 - 1000*1 = 0.
TEST(ProductError, takes_cancellation_for_what_it_is) {
    EXPECT_LT(ratio(product_of(1000, 1000, 1, -1, 1e-4F), "fp32"), 1);
    EXPECT_GT(ratio(product_of(1000, 1000, 1, -1, 1e-2F), "fp32"), 1);
}

// Processors may take 1e-40 for 0; a result of 0 in place of 1e-36 is wrong.
TEST(ProductError, lets_subnormal_results_be_flushed) {
    EXPECT_LT(ratio(product_of(1e-20F, 0, 1e-20F, 0, 0), "fp32"), 0.01);
    EXPECT_GT(ratio(product_of(1e-18F, 0, 1e-18F, 0, 0), "fp32"), 50);
}

// 1 + 2^-12 is 1 in float16: the product is 1 there, and 1 + 2^-12 exactly.
TEST(ProductError, rounds_operands_as_the_class_does) {
    const OpRun in_half = product_of(1 + 0x1p-12F, 0, 1, 0, 1);
    EXPECT_LT(ratio(in_half, "fp16 inputs, fp32 sums"), 0.1);
    EXPECT_GT(ratio(in_half, "fp32"), 100);
    const OpRun whole = product_of(1 + 0x1p-12F, 0, 1, 0, 1 + 0x1p-12F);
    EXPECT_GT(ratio(whole, "fp16 inputs, fp32 sums"), 100);
    EXPECT_EQ(ratio(whole, "fp32"), 0);
}

// 5 (1 + 2^-10) = 5 + 1.25 2^-8, and 5 + 2^-8 where that is rounded to float16.
TEST(ProductError, lets_an_operand_be_scaled_before_it_is_rounded) {
    const auto scaled = [](float result, double alpha) {
        return recorded_run("addmm",
                            {{"self", floats({1, 1}, {0})},
                             {"mat1", floats({1, 1}, {1 + 0x1p-10F})},
                             {"mat2", floats({1, 1}, {1})},
                             {"beta", Scalar{int64_t{1}}},
                             {"alpha", Scalar{alpha}}},
                            floats({1, 1}, {result}));
    };
    for (const float result : {5 + 0x1p-8F, 5 + 1.25F * 0x1p-8F})
        EXPECT_LT(ratio(scaled(result, 5), "fp16 inputs, fp32 sums"), 0.1);
    EXPECT_GT(ratio(scaled(5 + 0x1p-7F, 5), "fp16 inputs, fp32 sums"), 100);
    EXPECT_GT(ratio(scaled(5 + 0x1p-8F, 5), "fp32"), 100);
    // Half an operand is as many bits.
    EXPECT_FALSE(rounds_otherwise_scaled(scaled(0.5F, 0.5)));
    EXPECT_TRUE(rounds_otherwise_scaled(scaled(5, 5)));
}

// 100000 is 65504 on a chip that saturates, infinity on others.
TEST(ProductError, saturates_operands_as_the_class_does) {
    const OpRun run = product_of(100000, 1, 0.5, 1, 32753);
    EXPECT_EQ(ratio(run, "fp16 inputs that saturate, fp32 sums"), 0);
    EXPECT_TRUE(std::isinf(ratio(run, "fp16 inputs, fp32 sums")));
    const OpRun within = product_of(1 + 0x1p-12F, 0, 1, 0, 1);
    EXPECT_LT(ratio(within, "fp16 inputs that saturate, fp32 sums"), 0.1);
}

TEST(ProductError, bounds_operands_that_are_rounded_somehow) {
    // Off by one unit of float16 in one operand of 1: 2^-10 of the product.
    EXPECT_LT(ratio(product_of(1, 0, 1, 0, 1 + 0x1p-10F),
                    "TF32, HF32 or fp16 inputs (rounding unknown), fp32 sums"),
              1);
    EXPECT_GT(ratio(product_of(1, 0, 1, 0, 1 + 0x1p-7F),
                    "TF32, HF32 or fp16 inputs (rounding unknown), fp32 sums"),
              1);
}

TEST(ProductError, lets_a_bias_be_rounded_with_the_operands_or_not) {
    for (const float bias : {1.0F, 1 + 0x1p-12F}) {
        const OpRun run = recorded_run("addmm",
                                       {{"self", floats({1 + 0x1p-12F})},
                                        {"mat1", floats({1, 1}, {2})},
                                        {"mat2", floats({1, 1}, {3})}},
                                       floats({1, 1}, {6 + bias}));
        EXPECT_LT(ratio(run, "fp16 inputs, fp32 sums"), 1) << bias;
    }
}

// Libraries that add up in parts were recorded from 8 products on.
TEST(ProductError, takes_long_sums_alone_for_sums_in_parts) {
    const auto of_length = [](int64_t length, float off) {
        const auto count = static_cast<size_t>(length);
        const Tensor ones = floats({1, length}, std::vector<float>(count, 1));
        return recorded_run("mm",
                            {{"self", ones.cast(DType::kFloat16)},
                             {"mat2", ones.reshaped({length, 1}).cast(DType::kFloat16)}},
                            floats({1, 1}, {static_cast<float>(length) + off}));
    };
    const auto in_parts = [](const OpRun& run) {
        return ProductError(run).judge_in_parts(class_named("fp32"), run.results.front());
    };
    EXPECT_FALSE(in_parts(of_length(7, 0)));
    EXPECT_TRUE(in_parts(of_length(8, 0)));
    const Tensor ones = floats({1, 1, 8}, std::vector<float>(8, 1)).cast(DType::kFloat16);
    const OpRun batch = recorded_run(
        "bmm", {{"self", ones}, {"mat2", ones.reshaped({1, 8, 1})}}, floats({1, 1, 1}, {8}));
    EXPECT_TRUE(in_parts(batch));
    // 4 2^-11 sqrt(64) = 2^-6 beside the rounding of float32 sums.
    EXPECT_LT(in_parts(of_length(64, 0x1p-6F)).value().ratio, 1);
    EXPECT_GT(in_parts(of_length(64, 0x1p-5F)).value().ratio, 1);
}

// As PyTorch makes small products of bfloat16 on a CPU: 1 + 2^-8 is 1 each time.
TEST(ProductError, takes_sums_that_are_rounded_at_each_step_to_the_bit) {
    const auto in_steps = [](float result) {
        const Tensor a = floats({1, 5}, {1, 0x1p-8F, 0x1p-8F, 0x1p-8F, 0x1p-8F});
        const Tensor ones = floats({5, 1}, {1, 1, 1, 1, 1});
        const OpRun run = recorded_run(
            "mm",
            {{"self", a.cast(DType::kBFloat16)}, {"mat2", ones.cast(DType::kBFloat16)}},
            floats({1, 1}, {result}).cast(DType::kBFloat16));
        EXPECT_GT(ProductError(run).judge(class_named("fp32"), run.results.front(), false)->ratio,
                  1);
        return ProductError(run).judge_in_parts(class_named("fp32"), run.results.front());
    };
    ASSERT_TRUE(in_steps(1));
    EXPECT_EQ(in_steps(1)->ratio, 1);
    EXPECT_FALSE(in_steps(1 + 0x1p-5F));
}

TEST(ProductError, finds_the_elements_that_are_beyond) {
    const OpRun run =
        recorded_run("mm",
                     {{"self", floats({2, 1}, {1, 2})}, {"mat2", floats({1, 2}, {3, 4})}},
                     floats({2, 2}, {3, 4, 6, 9}));
    const auto error = ProductError(run).judge(class_named("fp32"), run.results.front(), true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->over, 1);
    EXPECT_EQ(error->numel, 4);
    EXPECT_EQ(error->where, "all in [1, 1]");
    ASSERT_EQ(error->worst.size(), 1U);
    EXPECT_EQ(error->worst.front().index, 3);
    EXPECT_EQ(error->worst.front().recorded, 9);
    EXPECT_EQ(error->worst.front().expected, 8);
}

// Weight [Co, Ci, kh, kw] = [4, 3, 2, 2]; image [2, 3, 5, 5]; result [2, 4, 4, 4].
TEST(ContractionLength, counts_the_products_of_one_element) {
    const auto zeros = [](const Shape& shape) { return Tensor::zeros(DType::kFloat32, shape); };
    const OpRun forward =
        recorded_run("convolution",
                     {{"input", zeros({2, 3, 5, 5})}, {"weight", zeros({4, 3, 2, 2})}},
                     zeros({2, 4, 4, 4}));
    EXPECT_EQ(contraction_length(forward, "result"), 12);  // Ci kh kw
    const OpRun backward = recorded_run("convolution_backward",
                                        {{"grad_output", zeros({2, 4, 4, 4})},
                                         {"input", zeros({2, 3, 5, 5})},
                                         {"weight", zeros({4, 3, 2, 2})}},
                                        zeros({4, 3, 2, 2}),
                                        "result1");
    EXPECT_EQ(contraction_length(backward, "result1"), 32);  // N Ho Wo
    EXPECT_EQ(contraction_length(backward, "result0"), 16);  // Co kh kw
    const OpRun product =
        recorded_run("mm", {{"self", zeros({2, 7})}, {"mat2", zeros({7, 3})}}, zeros({2, 3}));
    EXPECT_EQ(contraction_length(product, "result"), 7);
}

// A window of nine ones over ones is 9. F(2x2, 3x3) in float32 is off by tens of units of 9 2^-24,
// and nobody transforms in float16.
TEST(ProductError, lets_convolutions_be_transformed_in_float32_alone) {
    const auto windows = [](float result) {
        std::vector<float> sums(16, 9.0F);
        sums[5] = result;
        return recorded_run("convolution",
                            {{"input", floats({1, 1, 6, 6}, std::vector<float>(36, 1.0F))},
                             {"weight", floats({1, 1, 3, 3}, std::vector<float>(9, 1.0F))},
                             {"stride", IntList{1, 1}},
                             {"padding", IntList{0, 0}},
                             {"dilation", IntList{1, 1}},
                             {"transposed", false},
                             {"output_padding", IntList{0, 0}},
                             {"groups", int64_t{1}}},
                            floats({1, 1, 4, 4}, std::move(sums)));
    };
    EXPECT_LT(ratio(windows(9 + 40 * 9 * 0x1p-24F), "fp32"), 1);
    EXPECT_GT(ratio(windows(9.1F), "fp32"), 1);
    EXPECT_GT(ratio(windows(9 + 40 * 9 * 0x1p-11F), "fp16 throughout"), 1);
}

}  // namespace
}  // namespace npuscope::diagnose
