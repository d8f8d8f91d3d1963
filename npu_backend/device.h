// Where ops are computed: an emulated chip or a reference, as one value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npuscope {

enum class OverflowMode : uint8_t { kSaturate, kInfNan };

/// One row of npu_backend/chips.def.
struct Chip {
    std::string_view name;       ///< 910A, 910B
    OverflowMode overflow_mode;  ///< of half and bfloat16 results; float32 never saturates
    bool cube_takes_float32;     ///< false: float32 Cube inputs are demoted to float16
    bool cube_takes_bfloat16;
    bool conv_hf32;  ///< float32 convolutions use HF32 inputs by default
    bool matmul_hf32;
    std::string_view description;
    bool reduce_max_float32;  ///< false: the maximum over a row is taken in float16
};

[[nodiscard]] std::span<const Chip> all_chips();
/// Errors: Error(kUsage) that lists the chips.
[[nodiscard]] const Chip& chip(std::string_view name);

/// How each op is computed.
enum class Policy : uint8_t {
    kChip,         ///< the chip's kernels, formats' dtypes and rounding
    kReference64,  ///< each op in float64, outputs rounded once to their declared dtype
    kReference32,  ///< each op in float32, outputs rounded once to their declared dtype
};

struct Device {
    Policy policy = Policy::kReference64;
    const Chip* chip = nullptr;  ///< static row; with kChip only

    [[nodiscard]] static Device npu(const Chip& chip) { return {Policy::kChip, &chip}; }
    [[nodiscard]] static Device reference64() { return {Policy::kReference64, nullptr}; }
    [[nodiscard]] static Device reference32() { return {Policy::kReference32, nullptr}; }
    /// "npu 910A", "cpu fp64", "cpu fp32"
    [[nodiscard]] std::string description() const;
};

}  // namespace npuscope
