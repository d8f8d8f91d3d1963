#include <array>
#include <string>

#include "core/base/error.h"
#include "npu_backend/chips/chip.h"

namespace npuscope {

namespace {

// Sources, with their evidence grades, are the rules below.
constexpr auto kChips = std::to_array<Chip>({
    {.name = "910A",
     .overflow_mode = OverflowMode::kSaturate,
     .cube_types = kCubeHalf | kCubeInt8 | kCubeUint8,
     .c0_int4 = 0,
     .c0_float32 = 16,
     .reduce_max_float32 = false,
     .matrix_products = "fp16 inputs, fp32 sums",
     .convolutions = "fp16 inputs, fp32 sums",
     .status_scope = ChipStatusScope::kDevice,
     .description = "Atlas training series: half results saturate at 65504; the Cube multiplies "
                    "float16 only, so that float32 inputs of convolutions and matrix products are "
                    "demoted to float16; accumulation in float32"},
    {.name = "310P",
     .overflow_mode = OverflowMode::kSaturate,
     .cube_types = kCubeHalf | kCubeInt8 | kCubeUint8 | kCubeInt4,
     .c0_int4 = 64,
     .c0_float32 = 16,
     .reduce_max_float32 = false,
     .matrix_products = "fp16 inputs, fp32 sums",
     .convolutions = "fp16 inputs, fp32 sums",
     .status_scope = ChipStatusScope::kDevice,
     .description = "Atlas inference series: half results saturate at 65504; the Cube multiplies "
                    "float16 and small integers, float32 inputs are demoted to float16"},
    {.name = "910B",
     .overflow_mode = OverflowMode::kInfNan,
     .overflow_switchable = true,
     .cube_types = kCubeHalf | kCubeBFloat16 | kCubeFloat32 | kCubeInt8 | kCubeInt4,
     .c0_int4 = 64,
     .c0_float32 = 8,
     .conv_hf32 = true,
     .reduce_max_float32 = true,
     .matrix_products = "fp32",
     .convolutions = "HF32 inputs, fp32 sums",
     .status_scope = ChipStatusScope::kProcess,
     .description = "Atlas A2: results overflow to inf as in IEEE 754; the Cube takes float16, "
                    "bfloat16 and float32; float32 convolutions read HF32 (11 stored significand "
                    "bits), matrix products keep float32"},
    {.name = "A3",
     .overflow_mode = OverflowMode::kInfNan,
     .overflow_switchable = true,
     .cube_types = kCubeHalf | kCubeBFloat16 | kCubeFloat32 | kCubeInt8 | kCubeInt4,
     .c0_int4 = 64,
     .c0_float32 = 8,
     .conv_hf32 = true,
     .reduce_max_float32 = true,
     .matrix_products = "fp32",
     .convolutions = "HF32 inputs, fp32 sums",
     .status_scope = ChipStatusScope::kProcess,
     .description = "Atlas A3: the arithmetic of Atlas A2; results overflow to inf as in IEEE 754, "
                    "float32 convolutions read HF32"},
    {.name = "950",
     .overflow_mode = OverflowMode::kInfNan,
     .cube_types = kCubeHalf | kCubeBFloat16 | kCubeFloat32 | kCubeInt8 | kCubeFloat8,
     .c0_int4 = 0,
     .c0_float32 = 8,
     .cube_half_accumulator = false,
     .conv_hf32 = true,
     .hf32_dropped_bits = 13,
     .reduce_max_float32 = true,
     .vector_fma = true,
     .matrix_products = "fp32",
     .convolutions = "TF32 inputs, fp32 sums",
     .status_scope = ChipStatusScope::kProcess,
     .description = "Ascend 950: results overflow to inf as in IEEE 754, always; HF32 keeps 10 "
                    "stored significand bits"},
});

// What the emulation takes for granted, and how well it is known.
constexpr auto kRules = std::to_array<ChipRule>({
    {.chips = "all",
     .rule = "float32 to float16 and bfloat16: round to nearest even, subnormals kept",
     .grade = "A",
     .source = "Ascend C precision conversion rules"},
    {.chips = "910A 310P",
     .rule = "half results beyond the range become the largest finite value, nan becomes +0",
     .grade = "A",
     .source = "aclrtFloatOverflowMode; Ascend C boundary tables"},
    {.chips = "910B A3 950",
     .rule = "half results beyond the range become inf; 910B and A3 can be switched to saturation",
     .grade = "A",
     .source = "aclrtFloatOverflowMode; INF_NAN_MODE_ENABLE"},
    {.chips = "all",
     .rule = "saturation applies to each instruction's output, never to its inputs",
     .grade = "A+",
     .source = "Ascend C ReduceSum edge rows"},
    {.chips = "910B A3 950",
     .rule = "float32 results never saturate",
     .grade = "A",
     .source = "Ascend C boundary tables"},
    {.chips = "910A 310P",
     .rule = "float32 results never saturate",
     .grade = "U",
     .source = "not tabulated; taken over from Atlas A2; option fp32_sat_910A"},
    {.chips = "all",
     .rule = "float16 add, sub, mul: one correctly rounded float16 result an instruction",
     .grade = "D",
     .source = "tabulated for Ascend 950, inferred elsewhere"},
    {.chips = "all",
     .rule = "exp, ln, reciprocal, rsqrt: correctly rounded here; their last bits are not public",
     .grade = "U",
     .source = "options rec_ulp, exp_ulp"},
    {.chips = "all",
     .rule = "half reductions: neighbours in pairs, each node rounded and saturated",
     .grade = "A+",
     .source = "Ascend C ReduceSum edge rows"},
    {.chips = "all",
     .rule = "ReduceSum, SoftmaxV2, LayerNorm, batch norm take float16 through float32",
     .grade = "A",
     .source = "TBE operator sources"},
    {.chips = "910A 310P",
     .rule = "the Cube takes no float32: inputs are rounded to float16 and saturate",
     .grade = "A",
     .source = "Intrinsic_mmad of the platform files"},
    {.chips = "910B A3 950",
     .rule = "the Cube takes float16, bfloat16, float32 and HF32",
     .grade = "A",
     .source = "Intrinsic_mmad of the platform files"},
    {.chips = "all",
     .rule = "products of float16 are exact, the accumulator is float32",
     .grade = "A",
     .source = "Intrinsic_mmad of the platform files"},
    {.chips = "all",
     .rule = "products of int8 and their int32 sums are exact",
     .grade = "A",
     .source = "Intrinsic_mmad of the platform files"},
    {.chips = "910A 310P",
     .rule = "the Cube takes uint8 too",
     .grade = "A",
     .source = "Intrinsic_mmad of the platform files"},
    {.chips = "310P 910B A3",
     .rule = "the Cube takes int4",
     .grade = "A",
     .source = "Intrinsic_mmad of the platform files"},
    {.chips = "all",
     .rule = "order and rounding inside the accumulation of the Cube",
     .grade = "U",
     .source = "option cube_acc"},
    {.chips = "all",
     .rule = "copy of the accumulators to float16 rounds to nearest even",
     .grade = "B",
     .source = "Ascend C fixpipe page; inferred on 910A"},
    {.chips = "910B A3",
     .rule = "HF32 has 11 stored significand bits",
     .grade = "B",
     .source = "ATC --allow_hf32"},
    {.chips = "950",
     .rule = "HF32 has 10 stored significand bits",
     .grade = "B",
     .source = "Ascend C HF32 page"},
    {.chips = "910B A3 950",
     .rule = "HF32 is on for convolutions and off for matrix products",
     .grade = "A",
     .source = "ACL_ALLOW_HF32 default"},
    {.chips = "all",
     .rule = "float to integer: toward zero and clamped, nan becomes 0; to 8 bits the operator "
             "Cast wraps",
     .grade = "A",
     .source = "Ascend C Cast table; TBE Cast"},
    {.chips = "all",
     .rule = "the host library's float16 is another: it always saturates, nan becomes 65504, inf "
             "reads as 65536",
     .grade = "A",
     .source = "CANN runtime, fp16_impl.cpp; acl_float16.h"},
    {.chips = "910A 310P",
     .rule = "all programs on a card share its float status",
     .grade = "B",
     .source = "aclrtGetOverflowStatus"},
    {.chips = "910B A3 950",
     .rule = "each process has a float status of its own",
     .grade = "B",
     .source = "aclrtGetOverflowStatus"},
    {.chips = "910A",
     .rule = "the float status is sticky; NPUGetFloatStatus writes 8 ones into its input",
     .grade = "A",
     .source = "TBE operator source"},
    {.chips = "910B A3",
     .rule = "the second version of NPUGetFloatStatus gives word 0 of a 32-byte workspace",
     .grade = "A",
     .source = "TBE operator source"},
});

}  // namespace

std::span<const Chip> all_chips() {
    return kChips;
}

std::span<const ChipRule> all_chip_rules() {
    return kRules;
}

const Chip& chip(std::string_view name) {
    std::string known;
    for (const Chip& row : kChips) {
        if (row.name == name) return row;
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    throw Error(ErrorKind::kUsage,
                "there is no chip '" + std::string(name) + "'; the chips are " + known);
}

}  // namespace npuscope
