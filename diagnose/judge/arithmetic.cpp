#include "diagnose/judge/arithmetic.h"

#include <algorithm>
#include <array>

namespace npuscope::diagnose {

namespace {

constexpr auto kProducts = std::to_array<ProductClass>({
    {.name = "fp64", .stage = 0, .sums = kFloat64},
    {.name = "fp32", .stage = 1},
    {.name = "TF32 inputs, fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kNearest,
     .operands = kTensorFloat32},
    {.name = "TF32 inputs (ties away), fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kAway,
     .operands = kTensorFloat32},
    {.name = "TF32 inputs (truncated), fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kTruncated,
     .operands = kTensorFloat32},
    {.name = "HF32 inputs, fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kNearest,
     .operands = kHf32},
    {.name = "HF32 inputs (ties away), fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kAway,
     .operands = kHf32},
    {.name = "HF32 inputs (truncated), fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kTruncated,
     .operands = kHf32},
    {.name = "fp16 inputs, fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kNearest,
     .operands = kFloat16},
    {.name = "fp16 inputs without subnormals, fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kFlushed,
     .operands = kFloat16},
    {.name = "fp16 inputs that saturate, fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kSaturated,
     .operands = kFloat16},
    {.name = "bf16 inputs, fp32 sums",
     .stage = 1,
     .rounding = OperandRounding::kNearest,
     .operands = kBFloat16},
    {.name = "fp32, fp16 results", .stage = 2, .results = kFloat16},
    {.name = "fp32, bf16 results", .stage = 2, .results = kBFloat16},
    {.name = "fp16 inputs and results, fp32 sums",
     .stage = 2,
     .rounding = OperandRounding::kNearest,
     .operands = kFloat16,
     .results = kFloat16},
    {.name = "bf16 inputs and results, fp32 sums",
     .stage = 3,
     .rounding = OperandRounding::kNearest,
     .operands = kBFloat16,
     .results = kBFloat16},
    {.name = "int8 inputs (largest at 127), fp32 sums",
     .stage = 3,
     .rounding = OperandRounding::kQuantized},
    {.name = "fp32 by Winograd or FFT", .stage = 4, .spread = 8, .growth = 8},
    {.name = "TF32, HF32 or fp16 inputs (rounding unknown), fp32 sums",
     .stage = 5,
     .rounding = OperandRounding::kSomehow,
     .operands = kFloat16},
    {.name = "fp16 throughout",
     .stage = 6,
     .rounding = OperandRounding::kNearest,
     .operands = kFloat16,
     .sums = kFloat16,
     .results = kFloat16},
    {.name = "bf16 inputs (rounding unknown), fp32 sums",
     .stage = 7,
     .rounding = OperandRounding::kSomehow,
     .operands = kBFloat16},
    {.name = "int8 inputs with a scale a tensor", .stage = 8, .rounding = OperandRounding::kScaled},
    {.name = "bf16 throughout",
     .stage = 9,
     .rounding = OperandRounding::kNearest,
     .operands = kBFloat16,
     .sums = kBFloat16,
     .results = kBFloat16},
});

constexpr auto kVectors = std::to_array<VectorClass>({
    {.name = "fp64", .steps = kFloat64},
    {.name = "fp32"},
    {.name = "fp32, fp16 results", .results = kFloat16},
    {.name = "fp16 throughout", .steps = kFloat16, .results = kFloat16},
    {.name = "fp32, bf16 results", .results = kBFloat16},
    {.name = "bf16 throughout", .steps = kBFloat16, .results = kBFloat16},
});

/// Of 8-bit integers, the sign is no bit of significand.
constexpr int kBitsOfInt8 = 7;

int operand_bits(const ProductClass& row) {
    if (row.rounding == OperandRounding::kScaled || row.rounding == OperandRounding::kQuantized)
        return kBitsOfInt8;
    return row.rounding == OperandRounding::kNone ? kFloat64.bits : row.operands.bits;
}

bool rounds_bits_off(const ProductClass& row) {
    return row.rounding == OperandRounding::kNearest || row.rounding == OperandRounding::kAway ||
           row.rounding == OperandRounding::kTruncated;
}

}  // namespace

std::span<const ProductClass> product_classes() {
    return kProducts;
}

bool are_of_one_library(const ProductClass& one, const ProductClass& other) {
    return rounds_bits_off(one) && rounds_bits_off(other) && one.operands == other.operands &&
           one.stage == other.stage;
}

std::span<const VectorClass> vector_classes() {
    return kVectors;
}

bool is_as_precise(const ProductClass& one, const ProductClass& other) {
    return operand_bits(one) >= operand_bits(other) && one.sums.bits >= other.sums.bits &&
           one.results.bits >= other.results.bits;
}

bool is_as_precise(const VectorClass& one, const VectorClass& other) {
    return one.steps.bits >= other.steps.bits && one.results.bits >= other.results.bits;
}

int fewest_bits(const ProductClass& row) {
    return std::min({operand_bits(row), row.sums.bits, row.results.bits});
}

int fewest_bits(const VectorClass& row) {
    return std::min(row.steps.bits, row.results.bits);
}

}  // namespace npuscope::diagnose
