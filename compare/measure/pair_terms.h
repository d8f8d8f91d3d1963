// What one pair of finite elements adds to the sums, in scalar code for any dtype.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "compare/measure/sums.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

template <class T>
inline constexpr bool kIsFloat = !std::is_integral_v<T>;

/// Sign and magnitude of a float's bits: neighbours differ by 1.
template <class T>
struct FloatBits {
    using Unsigned = std::conditional_t<sizeof(T) == 2,
                                        uint16_t,
                                        std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    static constexpr Unsigned kSign = static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(T) - 1));
    bool negative;
    uint64_t magnitude;

    explicit FloatBits(T value) {
        const auto bits = std::bit_cast<Unsigned>(value);
        negative = (bits & kSign) != 0;
        magnitude = static_cast<uint64_t>(bits & static_cast<Unsigned>(~kSign));
    }
};

/// Representable values between a and b; integers: |a - b|.
template <class T>
double distance(T a, T b) {
    if constexpr (kIsFloat<T>) {
        const FloatBits<T> x(a);
        const FloatBits<T> y(b);
        if (x.negative != y.negative) return static_cast<double>(x.magnitude + y.magnitude);
        return static_cast<double>(std::max(x.magnitude, y.magnitude) -
                                   std::min(x.magnitude, y.magnitude));
    } else {
        // Modulo 2^64 the difference is right whatever the signs.
        const auto high = static_cast<uint64_t>(static_cast<int64_t>(std::max(a, b)));
        const auto low = static_cast<uint64_t>(static_cast<int64_t>(std::min(a, b)));
        return static_cast<double>(high - low);
    }
}

/// |t - g|, exact for integers that a double cannot hold.
template <class T>
double difference(T t, T g) {
    if constexpr (kIsFloat<T>) {
        return std::fabs(to_double(t) - to_double(g));
    } else {
        return distance(t, g);
    }
}

/// Adds the pair to every member but numel, pairs, max_d_at, the distances and the moments.
inline void add_values(double t, double g, double d, Sums& sums) {
    sums.tt += t * t;
    sums.gg += g * g;
    sums.tg += t * g;
    sums.max_abs_t = std::max(sums.max_abs_t, std::fabs(t));
    sums.max_abs_g = std::max(sums.max_abs_g, std::fabs(g));
    sums.min_t = std::min(sums.min_t, t);
    sums.max_t = std::max(sums.max_t, t);
    sums.min_g = std::min(sums.min_g, g);
    sums.max_g = std::max(sums.max_g, g);
    const double size = std::fabs(g);
    sums.unequal += d != 0 ? 1 : 0;
    sums.dd += d * d;
    sums.abs_d += d;
    const double rel = size > kRelativeFloor ? d / size : 0;
    sums.rel += rel;
    sums.max_rel = std::max(sums.max_rel, rel);
    sums.max_d = std::max(sums.max_d, d);
    sums.within_1e3 += d <= 1e-3 * size ? 1 : 0;
    sums.within_5e3 += d <= 5e-3 * size ? 1 : 0;
}

/// Smallest normalised value that the divergence sees; float32 epsilon, as in msaccucmp.
inline constexpr double kLeastMass = 1.1920928955078125e-07;

/// Position between the extremes, or the value itself where all are equal; never below kLeastMass.
struct Mass {
    double low = 0;
    double scale = 1;

    static Mass between(double low, double high) {
        return high != low ? Mass{low, 1 / (high - low)} : Mass{};
    }
    double operator()(double value) const { return std::max((value - low) * scale, kLeastMass); }
};

inline void add_masses(double p, double q, Sums& sums) {
    sums.sum_p += p;
    sums.sum_q += q;
    sums.sum_p_log += p * std::log(p / q);
}

}  // namespace npuscope::compare
