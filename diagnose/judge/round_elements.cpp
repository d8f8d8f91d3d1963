#include "diagnose/judge/round_elements.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace npuscope::diagnose {

namespace {

constexpr uint64_t kSign = uint64_t{1} << 63U;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double magnitude_of(double value) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) & ~kSign);
}

double with_sign_of(double magnitude, double value) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) |
                                 (std::bit_cast<uint64_t>(value) & kSign));
}

/// Where places of a magnitude are: those of its own exponent, or below the least normal number
/// always the same.
struct Places {
    explicit Places(const NumberFormat& format)
        : dropped(static_cast<uint64_t>(kFloat64.bits - format.bits)),
          below_half((uint64_t{1} << (dropped - 1)) - 1),
          least(power_of_two(format.lowest)),
          largest(format.largest()),
          unit(power_of_two(format.lowest - (format.bits - 1))),
          shift(1.5 * 0x1p52 * unit) {}

    uint64_t dropped;     ///< bits of float64's significand
    uint64_t below_half;  ///< of a unit in the last place, all bits below its half
    double least;         ///< normal number
    double largest;
    double unit;   ///< of what is less
    double shift;  ///< added to such, it leaves whole units
};

/// f, of a magnitude, is the same of what is normal as `as_bits` of its bits, and of what is not as
/// `as_sum`.
template <class AsBits, class AsSum>
void round_all(std::span<double> elements,
               const Places& places,
               const AsBits& as_bits,
               const AsSum& as_sum) {
    for (double& element : elements) {
        const double size = magnitude_of(element);
        const auto normal = std::bit_cast<double>(as_bits(std::bit_cast<uint64_t>(size)));
        const double small = as_sum(size);
        double rounded = size < places.least ? small : normal;
        rounded = rounded > places.largest ? kNoLimit : rounded;
        rounded = size <= std::numeric_limits<double>::max() ? rounded : size;
        element = with_sign_of(rounded, element);
    }
}

}  // namespace

void round_elements(std::span<double> elements, const NumberFormat& format) {
    if (format.bits >= kFloat64.bits) return;
    const Places places(format);
    round_all(
        elements,
        places,
        [&](uint64_t bits) {
            const uint64_t up = bits + places.below_half + ((bits >> places.dropped) & 1U);
            return up >> places.dropped << places.dropped;
        },
        [&](double size) { return (size + places.shift) - places.shift; });
}

void round_elements_away(std::span<double> elements, const NumberFormat& format) {
    if (format.bits >= kFloat64.bits) return;
    const Places places(format);
    round_all(
        elements,
        places,
        [&](uint64_t bits) {
            return (bits + places.below_half + 1) >> places.dropped << places.dropped;
        },
        [&](double size) {
            const double nearest = (size + places.shift) - places.shift;
            // A tie that went to the even unit below.
            return size - nearest == 0.5 * places.unit ? nearest + places.unit : nearest;
        });
}

void truncate_elements(std::span<double> elements, const NumberFormat& format) {
    if (format.bits >= kFloat64.bits) return;
    Places places(format);
    places.largest = kNoLimit;
    round_all(
        elements,
        places,
        [&](uint64_t bits) { return bits >> places.dropped << places.dropped; },
        [&](double size) {
            const double nearest = (size + places.shift) - places.shift;
            return nearest > size ? nearest - places.unit : nearest;
        });
}

}  // namespace npuscope::diagnose
