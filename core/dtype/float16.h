// float16 and bfloat16 as bit patterns, with round-to-nearest-even conversions.
#pragma once

#include <bit>
#include <cstdint>

namespace npuscope {

/// IEEE 754 binary16. Source: IEEE 754-2019, section 3.6 and 4.3.1.
struct Float16 {
    uint16_t bits = 0;
    friend bool operator==(Float16, Float16) = default;
};

/// The upper half of an IEEE 754 binary32.
struct BFloat16 {
    uint16_t bits = 0;
    friend bool operator==(BFloat16, BFloat16) = default;
};

/// Exact.
constexpr float to_float(Float16 value) {
    const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
    const uint32_t exponent = (value.bits >> 10) & 31u;
    const uint32_t fraction = value.bits & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent != 0)
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

/// Exact.
constexpr float to_float(BFloat16 value) {
    return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

/// Round to nearest, ties to even; subnormals produced; overflow gives infinity; NaN stays a
/// (quiet) NaN.
constexpr Float16 to_float16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u)};
    if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) {
        // Subnormal result: adding 0.5 aligns the value so that the FPU's own rounding does the
        // work.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u))};
    }
    magnitude += 0xfffu + ((magnitude >> 13) & 1u);
    return {static_cast<uint16_t>(sign | ((magnitude - 0x38000000u) >> 13))};
}

/// Round to nearest, ties to even; overflow gives infinity; NaN stays a (quiet) NaN.
constexpr BFloat16 to_bfloat16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
    return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

/// `value` rounded to float32 toward odd (von Neumann), so that a later rounding to a format of at
/// most 22 significand bits equals a single rounding of `value`.
inline float round_to_odd_float(double value) {
    const float nearest = static_cast<float>(value);
    if (static_cast<double>(nearest) == value || nearest != nearest) return nearest;
    uint32_t bits = std::bit_cast<uint32_t>(nearest);
    const bool too_large = (value > 0) == (static_cast<double>(nearest) > value);
    if (too_large) --bits;
    return std::bit_cast<float>(bits | 1u);
}

/// One rounding from double, to nearest, ties to even.
inline Float16 to_float16(double value) {
    return to_float16(round_to_odd_float(value));
}
inline BFloat16 to_bfloat16(double value) {
    return to_bfloat16(round_to_odd_float(value));
}

}  // namespace npuscope
