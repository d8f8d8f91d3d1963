// The emulated chips and the rules that they follow.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace npuscope {

/// What results beyond the range become. kSaturateAll: float32 too; no chip's own, see the option
/// fp32_sat_910A.
enum class OverflowMode : uint8_t { kSaturate, kInfNan, kSaturateAll };

/// Inputs that a Cube multiplies; a sum of them is a chip's row of Intrinsic_mmad.
inline constexpr uint32_t kCubeHalf = 1;
inline constexpr uint32_t kCubeBFloat16 = 2;
inline constexpr uint32_t kCubeFloat32 = 4;
inline constexpr uint32_t kCubeInt8 = 8;
inline constexpr uint32_t kCubeUint8 = 16;
inline constexpr uint32_t kCubeInt4 = 32;
inline constexpr uint32_t kCubeFloat8 = 64;

/// Where the float status is one: on the whole device or for a process.
enum class ChipStatusScope : uint8_t { kProcess, kDevice };

/// One row of npu_backend/chips/chips.cpp.
struct Chip {
    std::string_view name;             ///< 910A, 310P, 910B, A3, 950
    OverflowMode overflow_mode;        ///< of half and bfloat16 results; float32 never saturates
    bool overflow_switchable = false;  ///< the other mode can be chosen
    uint32_t cube_types;               ///< kCube… bits
    int c0_half = 16;                  ///< innermost dimension of private formats
    int c0_int8 = 32;
    int c0_int4;                        ///< 0: not taken
    int c0_float32;                     ///< on the Cube
    bool cube_half_accumulator = true;  ///< half x half -> half exists
    bool conv_hf32 = false;             ///< float32 convolutions use HF32 inputs by default
    bool matmul_hf32 = false;
    int hf32_dropped_bits = 12;  ///< 12 or 13 of float32's 23 stored bits
    bool reduce_max_float32;     ///< false: the maximum over a row is taken in float16
    bool vector_fma = false;     ///< a vector instruction's multiply and add round once
    /// Classes of arithmetic of float32 ops where no option is set, as the judge of recordings
    /// calls them (`npuscope help classes`).
    std::string_view matrix_products;
    std::string_view convolutions;
    ChipStatusScope status_scope;
    std::string_view description;

    [[nodiscard]] bool cube_takes(uint32_t types) const { return (cube_types & types) == types; }
    [[nodiscard]] bool cube_takes_float32() const { return cube_takes(kCubeFloat32); }
    [[nodiscard]] bool cube_takes_bfloat16() const { return cube_takes(kCubeBFloat16); }
};

[[nodiscard]] std::span<const Chip> all_chips();
/// Errors: Error(kUsage) that lists the chips.
[[nodiscard]] const Chip& chip(std::string_view name);

/// One row of npu_backend/chips/chips.cpp.
struct ChipRule {
    std::string_view chips;  ///< "all", or names with blanks between
    std::string_view rule;
    std::string_view grade;  ///< A vendor source or value table; A+ the same, recomputed; B vendor
                             ///< prose; C third party; D inferred; U nothing public
    std::string_view source;
};
[[nodiscard]] std::span<const ChipRule> all_chip_rules();

}  // namespace npuscope
