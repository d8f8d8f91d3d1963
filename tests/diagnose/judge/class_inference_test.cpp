#include "diagnose/judge/class_inference.h"

#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

/// Of the classes of ops that are no products.
constexpr size_t kFloat16Steps = 3;
constexpr size_t kBFloat16Steps = 5;

size_t column_of(std::string_view name) {
    const auto classes = product_classes();
    for (size_t column = 0; column < classes.size(); ++column)
        if (classes[column].name == name) return column;
    throw std::out_of_range(std::string(name));
}

SampledRun one_that_no_class_explains(const ArithmeticGroup& group) {
    SampledRun run{.group = group, .ratios = {}, .either = {}, .off_by = {}, .name = "mm"};
    run.off_by.fill(1);
    run.ratios.fill(100);
    run.either.fill(100);
    run.off = 0.9;
    run.shows_steps = true;
    return run;
}

/// So many products in bfloat16, all of which "bf16 throughout" explains; of rounded inputs, 34
/// of 35: the last is so many times over what it allows.
ArithmeticSamples all_but_one_with_rounded_inputs(double last) {
    const ArithmeticGroup group{OpKind::kProduct, DType::kBFloat16, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(group);
    run.ratios[column_of("bf16 inputs and results, fp32 sums")] = 0.5;
    run.ratios[column_of("bf16 throughout")] = 0.2;
    ArithmeticSamples samples;
    samples[group].runs.assign(35, run);
    samples[group].runs.back().ratios[column_of("bf16 inputs and results, fp32 sums")] = last;
    return samples;
}

std::string_view class_of(const ArithmeticSamples& samples) {
    return class_from(samples, samples.begin()->first).of_products().name;
}

TEST(ClassInference, takes_a_run_that_is_just_over_for_no_fault_where_a_later_class_explains_all) {
    EXPECT_EQ(class_of(all_but_one_with_rounded_inputs(0.9)), "bf16 inputs and results, fp32 sums");
    EXPECT_EQ(class_of(all_but_one_with_rounded_inputs(1.13)), "bf16 throughout");
    EXPECT_EQ(class_of(all_but_one_with_rounded_inputs(3.1)), "bf16 inputs and results, fp32 sums");
}

/// A fault of a few times the limit, beside runs that are to the bit what fp16 inputs make.
TEST(ClassInference, takes_no_lenient_class_for_one_run_beside_others_that_are_exact) {
    const ArithmeticGroup group{OpKind::kProduct, DType::kFloat32, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(group);
    run.ratios[column_of("fp16 inputs, fp32 sums")] = 0.2;
    run.ratios[column_of("TF32, HF32 or fp16 inputs (rounding unknown), fp32 sums")] = 0.1;
    ArithmeticSamples samples;
    samples[group].runs.assign(20, run);
    samples[group].runs.back().ratios[column_of("fp16 inputs, fp32 sums")] = 1.8;
    EXPECT_EQ(class_of(samples), "fp16 inputs, fp32 sums");
    // Two are no chance.
    samples[group].runs.front().ratios[column_of("fp16 inputs, fp32 sums")] = 1.8;
    EXPECT_EQ(class_of(samples), "TF32, HF32 or fp16 inputs (rounding unknown), fp32 sums");
}

/// Few convolutions in HF32 beside matrix products in fp32, and one convolution that is at fault.
TEST(ClassInference, lets_three_exact_convolutions_show_their_class_beside_one_at_fault) {
    const ArithmeticGroup convolutions{OpKind::kConvolution, DType::kFloat32, ComputeType::kNone};
    const ArithmeticGroup products{OpKind::kProduct, DType::kFloat32, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(convolutions);
    const size_t hf32 = column_of("HF32 inputs, fp32 sums");
    const size_t narrow = column_of("fp16 throughout");
    run.shows_steps = false;
    run.ratios[hf32] = 0.1;
    run.ratios[narrow] = 0.03;
    ArithmeticSamples samples;
    samples[convolutions].runs.assign(4, run);
    samples[convolutions].runs.back().ratios[hf32] = 860;
    SampledRun in_fp32 = run;
    in_fp32.group = products;
    in_fp32.ratios[hf32] = 40;
    in_fp32.ratios[kPlainColumn] = 0.1;
    samples[products].runs.assign(3, in_fp32);
    EXPECT_EQ(class_from(samples, convolutions).of_products().name, "HF32 inputs, fp32 sums");
}

TEST(ClassInference, keeps_the_other_range_of_as_many_bits_where_that_explains_all_as_well) {
    const ArithmeticGroup group{OpKind::kProduct, DType::kFloat32, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(group);
    run.ratios[column_of("TF32 inputs, fp32 sums")] = 0.2;
    run.ratios[column_of("fp16 inputs, fp32 sums")] = 0.2;
    ArithmeticSamples samples;
    samples[group].runs.assign(8, run);
    const InferredArithmetic both = class_from(samples, group);
    ASSERT_NE(both.tied_product, nullptr);
    EXPECT_NE(both.tied_product, both.product);
    samples[group].runs.back().ratios[column_of("fp16 inputs, fp32 sums")] = 40;
    const InferredArithmetic one = class_from(samples, group);
    EXPECT_EQ(one.of_products().name, "TF32 inputs, fp32 sums");
    EXPECT_EQ(one.tied_product, nullptr);
}

/// One product, of which TF32 explains all numbers but a share.
ArithmeticSamples one_in_tf32_but(double share) {
    const ArithmeticGroup group{OpKind::kProduct, DType::kFloat32, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(group);
    const size_t tf32 = column_of("TF32 inputs, fp32 sums");
    run.ratios[tf32] = 90;
    run.off_by[tf32] = share;
    run.ratios[column_of("fp16 throughout")] = 0.7;
    ArithmeticSamples samples;
    samples[group].runs = {run};
    return samples;
}

TEST(ClassInference, takes_what_is_far_off_in_few_elements_for_a_fault) {
    EXPECT_EQ(class_of(one_in_tf32_but(0.001)), "TF32 inputs, fp32 sums");
    EXPECT_EQ(class_of(one_in_tf32_but(0.5)), "fp16 throughout");
}

/// So many other ops in float32, each of them in steps of float16, whose results have so many bits;
/// the last is off by so much, and has results of 24 bits.
ArithmeticSamples in_float16_but_one(size_t count, double last) {
    const ArithmeticGroup group{OpKind::kVector, DType::kFloat32, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(group);
    run.name = "gelu";
    run.bits = kFloat16.bits;
    run.numbers = 100;
    run.ratios[kFloat16Steps] = 0.3;
    run.ratios[kBFloat16Steps] = 0.1;
    ArithmeticSamples samples;
    samples[group].runs.assign(count, run);
    samples[group].runs.back().bits = kFloat32.bits;
    samples[group].runs.back().ratios[kFloat16Steps] = last;
    return samples;
}

TEST(ClassInference, takes_no_class_that_cannot_give_the_results_of_all_but_one) {
    const auto name = [](const ArithmeticSamples& samples) {
        return class_from(samples, samples.begin()->first).of_vectors().name;
    };
    EXPECT_EQ(name(in_float16_but_one(9, 1.1)), "fp16 throughout");
    EXPECT_EQ(name(in_float16_but_one(2, 1.1)), "fp16 throughout");
    EXPECT_EQ(name(in_float16_but_one(1, 1.1)), "bf16 throughout");
}

/// One of three products was rounded to bfloat16, beside convolutions whose operands were.
TEST(ClassInference, takes_no_class_that_fits_neither_where_the_products_alone_have_one) {
    const ArithmeticGroup products{OpKind::kProduct, DType::kFloat32, ComputeType::kNone};
    const ArithmeticGroup convolutions{OpKind::kConvolution, DType::kFloat32, ComputeType::kNone};
    SampledRun run = one_that_no_class_explains(products);
    run.shows_steps = false;
    run.ratios[kPlainColumn] = 0.1;
    run.ratios[column_of("fp32, bf16 results")] = 0.1;
    ArithmeticSamples samples;
    samples[products].runs.assign(3, run);
    samples[products].runs.back().ratios[kPlainColumn] = 100;
    run = one_that_no_class_explains(convolutions);
    run.ratios[column_of("HF32 inputs, fp32 sums")] = 0.1;
    samples[convolutions].runs.assign(4, run);
    EXPECT_EQ(class_from(samples, products).of_products().name, "fp32");
}

}  // namespace
}  // namespace npuscope::diagnose
