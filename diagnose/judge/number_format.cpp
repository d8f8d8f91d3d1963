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

/// value 2^exponent. std::ldexp would be a call for every element.
double scaled(double value, int exponent) {
    if (exponent < -1022 || exponent > 1023) return std::ldexp(value, exponent);
    return value * std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52U);
}

double in_range(const NumberFormat& format, double value) {
    if (std::abs(value) <= format.largest()) return value;
    return std::copysign(std::numeric_limits<double>::infinity(), value);
}

}  // namespace

double NumberFormat::half_unit(double value) const {
    if (!std::isfinite(value)) return 0;
    return scaled(0.5, last_place(*this, value));
}

double NumberFormat::largest() const {
    return scaled(2 - scaled(1.0, 1 - bits), highest);
}

double NumberFormat::rounded(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(*this, value);
    return in_range(*this, scaled(std::nearbyint(scaled(value, -place)), place));
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
    return scaled(1.0, -bits);
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
