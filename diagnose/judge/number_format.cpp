#include "diagnose/judge/number_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace npuscope::diagnose {

namespace {

/// The exponent of the last place of `value`.
int last_place(const NumberFormat& format, double value) {
    // The exponent as IEEE 754 keeps it: a double's own subnormal numbers count as the smallest.
    const auto kept = static_cast<int>((std::bit_cast<uint64_t>(value) >> 52U) & 0x7ffU);
    return std::max(kept - 1023, format.lowest) - (format.bits - 1);
}

/// 2^exponent.
double power(int exponent) {
    constexpr int kBias = 1023;
    if (exponent <= -kBias || exponent > kBias) return std::ldexp(1.0, exponent);
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + kBias) << 52U);
}

/// value 2^exponent, as std::ldexp: a product where the power is a normal number.
double scaled(double value, int exponent) {
    constexpr int kLargest = 1000;
    if (std::abs(exponent) > kLargest) return std::ldexp(value, exponent);
    return value * power(exponent);
}

/// To a whole number, ties to even, of a magnitude that `bits` hold.
double nearest_whole(double value, int bits) {
    constexpr int kFew = 32;
    if (bits > kFew) return std::nearbyint(value);
    constexpr double kShift = 0x1.8p52;  // where a unit in the last place is 1
    return std::copysign((value + kShift) - kShift, value);
}

double in_range(const NumberFormat& format, double value) {
    if (std::abs(value) <= format.largest()) return value;
    return std::copysign(std::numeric_limits<double>::infinity(), value);
}

}  // namespace

double NumberFormat::largest() const {
    return (2 - power(1 - bits)) * power(highest);
}

double NumberFormat::rounded(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(*this, value);
    return in_range(*this, scaled(nearest_whole(scaled(value, -place), bits), place));
}

double NumberFormat::rounded_away(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(*this, value);
    return in_range(*this, scaled(std::round(scaled(value, -place)), place));
}

double NumberFormat::truncated(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(*this, value);
    return scaled(std::trunc(scaled(value, -place)), place);
}

double NumberFormat::unit() const {
    return power(-bits);
}

NumberFormat format_of(DType dtype) {
    switch (dtype) {
        case DType::kFloat64:
            return kFloat64;
        case DType::kFloat16:
            return kFloat16;
        case DType::kBFloat16:
            return kBFloat16;
        default:
            return kFloat32;
    }
}

}  // namespace npuscope::diagnose
