#include "diagnose/judge/stated_arithmetic.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

Device with(const char* name, const std::vector<std::string>& settings = {}) {
    return Device::npu(chip(name), settings);
}

std::string_view product(const Device& device, ComputeType type, DType result = DType::kFloat32) {
    return stated_product_class(device, type, result).name;
}

TEST(StatedArithmetic, takes_what_a_product_was_computed_in) {
    EXPECT_EQ(product(with("910A"), ComputeType::kFloat16), "fp16 inputs, fp32 sums");
    EXPECT_EQ(product(with("910B"), ComputeType::kFloat32), "fp32");
    EXPECT_EQ(product(with("910B"), ComputeType::kBFloat16), "bf16 inputs, fp32 sums");
    EXPECT_EQ(product(Device::reference64(), ComputeType::kFloat64), "fp64");
    EXPECT_EQ(product(Device::reference32(), ComputeType::kFloat32), "fp32");
}

TEST(StatedArithmetic, knows_how_many_bits_a_chips_hf32_has_and_how_it_rounds) {
    EXPECT_EQ(product(with("910B"), ComputeType::kHFloat32), "HF32 inputs, fp32 sums");
    EXPECT_EQ(product(with("950"), ComputeType::kHFloat32), "TF32 inputs, fp32 sums");
    EXPECT_EQ(product(with("910B", {"hf32_tie=trunc"}), ComputeType::kHFloat32),
              "HF32 inputs (truncated), fp32 sums");
    EXPECT_EQ(product(with("910B", {"hf32_tie=away"}), ComputeType::kHFloat32),
              "HF32 inputs (ties away), fp32 sums");
    EXPECT_EQ(product(with("910B", {"hf32_tie=tie_to_zero"}), ComputeType::kHFloat32),
              "TF32, HF32 or fp16 inputs (rounding unknown), fp32 sums");
}

TEST(StatedArithmetic, follows_options_that_narrow_results) {
    EXPECT_EQ(product(with("910B", {"precision_mode=force_fp16"}), ComputeType::kFloat16),
              "fp16 inputs and results, fp32 sums");
    EXPECT_EQ(product(with("910A", {"cube_c_half=on"}), ComputeType::kFloat16), "fp16 throughout");
}

TEST(StatedArithmetic, allows_more_where_the_cube_cuts_its_sums) {
    const Device cut = with("910B", {"cube_acc=align_trunc0"});
    const Device whole = with("910B");
    const ProductClass& plain = stated_product_class(whole, ComputeType::kFloat32, DType::kFloat32);
    const ProductClass& more = stated_product_class(cut, ComputeType::kFloat32, DType::kFloat32);
    EXPECT_EQ(more.name, plain.name);
    EXPECT_GT(more.growth, plain.growth);
}

TEST(StatedArithmetic, goes_by_the_dtype_where_nothing_else_is_recorded) {
    EXPECT_EQ(product(with("910A"), ComputeType::kNone, DType::kFloat16), "fp16 inputs, fp32 sums");
    EXPECT_EQ(product(with("910A"), ComputeType::kNone, DType::kFloat64), "fp64");
    EXPECT_EQ(stated_vector_class(ComputeType::kNone, DType::kBFloat16).name, "bf16 throughout");
}

TEST(StatedArithmetic, takes_what_other_ops_were_computed_in) {
    EXPECT_EQ(stated_vector_class(ComputeType::kFloat64, DType::kFloat32).name, "fp64");
    EXPECT_EQ(stated_vector_class(ComputeType::kFloat32, DType::kFloat32).name, "fp32");
    EXPECT_EQ(stated_vector_class(ComputeType::kHFloat32, DType::kFloat32).name, "fp32");
    EXPECT_EQ(stated_vector_class(ComputeType::kFloat16, DType::kFloat32).name, "fp16 throughout");
}

}  // namespace
}  // namespace npuscope::diagnose
