#include "diagnose/judge/number_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npuscope::diagnose {

namespace {

/// value 2^exponent, as std::ldexp: a product where the power is a normal number.
double scaled(double value, int exponent) {
    constexpr int kLargest = 1000;
    if (std::abs(exponent) > kLargest) return std::ldexp(value, exponent);
    return value * power_of_two(exponent);
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
    return (2 - power_of_two(1 - bits)) * power_of_two(highest);
}

double NumberFormat::rounded(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(value);
    return in_range(*this, scaled(nearest_whole(scaled(value, -place), bits), place));
}

double NumberFormat::rounded_away(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(value);
    return in_range(*this, scaled(std::round(scaled(value, -place)), place));
}

double NumberFormat::truncated(double value) const {
    if (!std::isfinite(value) || value == 0) return value;
    const int place = last_place(value);
    return scaled(std::trunc(scaled(value, -place)), place);
}

double NumberFormat::unit() const {
    return power_of_two(-bits);
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
