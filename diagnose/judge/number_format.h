// Binary formats of real numbers, by their precision: rounding to them, and the size of a unit.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/dtype/dtype.h"

namespace npuscope::diagnose {

[[nodiscard]] inline bool is_of_16_bits(DType dtype) {
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

[[nodiscard]] inline double power_of_two(int exponent) {
    constexpr int kBias = 1023;
    if (exponent <= -kBias || exponent > kBias) return std::ldexp(1.0, exponent);
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + kBias) << 52U);
}

/// Sign, `bits` of significand (the implicit one too), exponents from `lowest` (of the smallest
/// normal number) to `highest`; subnormal numbers as IEEE 754 has them.
struct NumberFormat {
    int bits = 53;
    int lowest = -1022;
    int highest = 1023;

    /// Half of the distance between neighbours of `value` in this format: what rounding it to
    /// nearest errs by at most.
    [[nodiscard]] double half_unit(double value) const {
        return std::isfinite(value) ? power_of_two(last_place(value) - 1) : 0;
    }
    /// What arithmetic in this format may lose near zero: half of the smallest subnormal number;
    /// where exponents are as wide as float32's the smallest normal one, since processors may take
    /// subnormal numbers for 0.
    [[nodiscard]] double lost_near_zero() const {
        return lowest <= -126 ? power_of_two(lowest) : half_unit(0);
    }
    /// The exponent of the last place of `value`.
    [[nodiscard]] int last_place(double value) const {
        // The exponent as IEEE 754 keeps it: a double's own subnormal numbers count as the
        // smallest.
        const auto kept = static_cast<int>((std::bit_cast<uint64_t>(value) >> 52U) & 0x7ffU);
        return std::max(kept - 1023, lowest) - (bits - 1);
    }
    [[nodiscard]] double largest() const;
    /// To nearest, ties to even; beyond the largest number: infinity.
    [[nodiscard]] double rounded(double value) const;
    /// To nearest, ties away from zero.
    [[nodiscard]] double rounded_away(double value) const;
    /// Toward zero.
    [[nodiscard]] double truncated(double value) const;
    /// Relative error of rounding a normal number: 2^-bits.
    [[nodiscard]] double unit() const;

    friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

inline constexpr NumberFormat kFloat64{53, -1022, 1023};
inline constexpr NumberFormat kFloat32{24, -126, 127};
inline constexpr NumberFormat kTensorFloat32{11, -126, 127};
inline constexpr NumberFormat kHf32{12, -126, 127};
inline constexpr NumberFormat kFloat16{11, -14, 15};
inline constexpr NumberFormat kBFloat16{8, -126, 127};

/// Of the coarser of two formats, that a number is rounded to one after the other.
[[nodiscard]] inline double half_unit(const NumberFormat& one,
                                      const NumberFormat& other,
                                      double value) {
    return std::max(one.half_unit(value), other.half_unit(value));
}

/// As half_unit() of two formats, for many numbers.
class HalfUnits {
  public:
    HalfUnits(const NumberFormat& one, const NumberFormat& other)
        : least_(power_of_two(one.lowest)),
          unit_(one.unit()),
          other_least_(power_of_two(other.lowest)),
          other_unit_(other.unit()) {}
    [[nodiscard]] double of(double value) const {
        constexpr uint64_t kExponent = uint64_t{0x7ff} << 52U;
        const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(value) & kExponent);
        const double half =
            std::max(std::max(power, least_) * unit_, std::max(power, other_least_) * other_unit_);
        return half < std::numeric_limits<double>::infinity() ? half : 0;
    }

  private:
    double least_;  ///< normal number
    double unit_;
    double other_least_;
    double other_unit_;
};

/// Units by which a sum of so many terms may be off, of the sum of their magnitudes' mean: errors
/// add up like a random walk; the factor is for terms that are alike.
[[nodiscard]] inline double walk_of(double count) {
    return std::min(count, 4 * std::sqrt(count));
}

/// Of a float dtype.
[[nodiscard]] NumberFormat format_of(DType dtype);

}  // namespace npuscope::diagnose
