#include "compare/accumulate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"

namespace npuscope::compare {

namespace {

/// Smallest normalised value that the divergence sees; float32 epsilon, as in msaccucmp.
constexpr double kLeastMass = 1.1920928955078125e-07;

template <class T>
constexpr bool kIsFloat = !std::is_integral_v<T>;

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

template <class T>
double distance(T a, T b) {
    if constexpr (kIsFloat<T>) {
        const FloatBits<T> x(a);
        const FloatBits<T> y(b);
        if (x.negative != y.negative) return static_cast<double>(x.magnitude + y.magnitude);
        return static_cast<double>(std::max(x.magnitude, y.magnitude) -
                                   std::min(x.magnitude, y.magnitude));
    } else {
        const auto high = static_cast<uint64_t>(std::max(a, b));
        const auto low = static_cast<uint64_t>(std::min(a, b));
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

/// One tile with the golden side rounded to the target's dtype, and its pairs of finite elements.
template <class T>
struct Tile {
    const T* target = nullptr;
    int64_t start = 0;
    int64_t count = 0;
    std::array<T, kTile> golden;
    std::array<double, kTile> t;  ///< of pairs
    std::array<double, kTile> g;
    std::array<int32_t, kTile> at;  ///< element of each pair
    int64_t pairs = 0;

    Tile(const Tensor& target_tensor, const Tensor& golden_tensor, int64_t index) {
        start = index * kTile;
        count = std::min(kTile, target_tensor.numel() - start);
        target = target_tensor.as<T>().data() + start;
        convert_elements(
            golden_tensor.data() + static_cast<size_t>(start) * size_of(golden_tensor.dtype()),
            golden_tensor.dtype(),
            golden.data(),
            kDTypeOf<T>,
            static_cast<size_t>(count));
    }

    void add_pair(int64_t i, double target_value, double golden_value) {
        const auto p = static_cast<size_t>(pairs++);
        t[p] = target_value;
        g[p] = golden_value;
        at[p] = static_cast<int32_t>(i);
    }
};

/// Whether golden element `i`, before rounding, lies outside the range of T.
template <class T, class G>
bool leaves_range(G original, T rounded) {
    if constexpr (std::is_same_v<T, G>) {
        return false;
    } else if constexpr (kIsFloat<T>) {
        return std::isfinite(to_double(original)) && !std::isfinite(to_double(rounded));
    } else if constexpr (std::is_same_v<T, bool>) {
        return original != static_cast<G>(rounded);
    } else if constexpr (std::is_same_v<G, bool>) {
        return false;
    } else {
        return static_cast<G>(rounded) != original || (original < G{}) != (rounded < T{});
    }
}

/// Counts non-finite and out-of-range elements and collects the pairs.
template <class T, class G>
void classify(Tile<T>& tile, const G* original, Sums& sums) {
    sums.numel = tile.count;
    for (int64_t i = 0; i < tile.count; ++i) {
        const double t = to_double(tile.target[i]);
        const double g = to_double(tile.golden[static_cast<size_t>(i)]);
        const bool out = leaves_range<T, G>(original[i], tile.golden[static_cast<size_t>(i)]);
        if (std::isfinite(t) && std::isfinite(g) && !out) {
            tile.add_pair(i, t, g);
            continue;
        }
        sums.target_nan += std::isnan(t) ? 1 : 0;
        sums.target_inf += std::isinf(t) ? 1 : 0;
        if (out) {
            ++sums.golden_out_of_range;
            if (sums.first_out_of_range < 0) sums.first_out_of_range = tile.start + i;
            continue;
        }
        sums.golden_nan += std::isnan(g) ? 1 : 0;
        sums.golden_inf += std::isinf(g) ? 1 : 0;
        const bool same = (std::isnan(t) && std::isnan(g)) || t == g;
        if (same) continue;
        ++sums.nonfinite_differs;
        if (sums.first_nonfinite < 0) sums.first_nonfinite = tile.start + i;
    }
    sums.pairs = tile.pairs;
}

Moments moments_of(const double* values, int64_t count) {
    Moments moments;
    if (count == 0) return moments;
    moments.count = static_cast<double>(count);
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += values[i];
    moments.mean = sum / moments.count;
    for (int64_t i = 0; i < count; ++i) {
        const double shift = values[i] - moments.mean;
        moments.squares += shift * shift;
    }
    return moments;
}

template <class T>
void add_pairs(const Tile<T>& tile, Sums& sums) {
    for (int64_t p = 0; p < tile.pairs; ++p) {
        const double t = tile.t[static_cast<size_t>(p)];
        const double g = tile.g[static_cast<size_t>(p)];
        sums.tt += t * t;
        sums.gg += g * g;
        sums.tg += t * g;
        sums.max_abs_t = std::max(sums.max_abs_t, std::fabs(t));
        sums.max_abs_g = std::max(sums.max_abs_g, std::fabs(g));
        sums.min_t = std::min(sums.min_t, t);
        sums.max_t = std::max(sums.max_t, t);
        sums.min_g = std::min(sums.min_g, g);
        sums.max_g = std::max(sums.max_g, g);
    }
    for (int64_t p = 0; p < tile.pairs; ++p) {
        const auto i = static_cast<size_t>(tile.at[static_cast<size_t>(p)]);
        const T t = tile.target[i];
        const T g = tile.golden[i];
        const double d = difference(t, g);
        const double size = std::fabs(tile.g[static_cast<size_t>(p)]);
        sums.unequal += d != 0 ? 1 : 0;
        sums.dd += d * d;
        sums.abs_d += d;
        const double rel = size > kRelativeFloor ? d / size : 0;
        sums.rel += rel;
        sums.max_rel = std::max(sums.max_rel, rel);
        sums.within_1e3 += d <= 1e-3 * size ? 1 : 0;
        sums.within_5e3 += d <= 5e-3 * size ? 1 : 0;
        sums.max_ulp = std::max(sums.max_ulp, distance(t, g));
        if (d > sums.max_d || sums.max_d_at < 0) {
            sums.max_d = d;
            sums.max_d_at = tile.start + static_cast<int64_t>(i);
        }
    }
    sums.t = moments_of(tile.t.data(), tile.pairs);
    sums.g = moments_of(tile.g.data(), tile.pairs);
}

/// Position between the extremes, or the value itself where all are equal; never below kLeastMass.
struct Mass {
    double low;
    double range;
    double operator()(double value) const {
        return std::max(range != 0 ? (value - low) / range : value, kLeastMass);
    }
};

template <class T>
void add_divergence(const Tile<T>& tile, const Sums& total, Sums& sums) {
    const Mass p_of{total.min_t, total.max_t - total.min_t};
    const Mass q_of{total.min_g, total.max_g - total.min_g};
    for (int64_t i = 0; i < tile.pairs; ++i) {
        const double p = p_of(tile.t[static_cast<size_t>(i)]);
        const double q = q_of(tile.g[static_cast<size_t>(i)]);
        sums.sum_p += p;
        sums.sum_q += q;
        sums.sum_p_log += p * std::log(p / q);
    }
}

template <class T, class G>
Sums accumulate_as(const Tensor& target, const Tensor& golden, bool divergence, int threads) {
    const int64_t tiles = (target.numel() + kTile - 1) / kTile;
    std::vector<Sums> parts(static_cast<size_t>(tiles));
    const G* original = golden.as<G>().data();
    parallel_for(tiles, threads, [&](int64_t index) {
        Tile<T> tile(target, golden, index);
        Sums& sums = parts[static_cast<size_t>(index)];
        classify<T, G>(tile, original + tile.start, sums);
        add_pairs(tile, sums);
    });
    Sums total;
    for (const Sums& part : parts)
        total.merge(part);
    if (!divergence || total.pairs == 0) return total;
    parallel_for(tiles, threads, [&](int64_t index) {
        Tile<T> tile(target, golden, index);
        Sums ignored;
        classify<T, G>(tile, original + tile.start, ignored);
        Sums& sums = parts[static_cast<size_t>(index)];
        sums = {};
        add_divergence(tile, total, sums);
    });
    for (const Sums& part : parts) {
        total.sum_p += part.sum_p;
        total.sum_q += part.sum_q;
        total.sum_p_log += part.sum_p_log;
    }
    return total;
}

}  // namespace

bool are_comparable(DType target, DType golden) {
    return is_float(target) == is_float(golden);
}

Sums accumulate(const Tensor& target, const Tensor& golden, bool divergence, int threads) {
    if (target.numel() != golden.numel() || !are_comparable(target.dtype(), golden.dtype()))
        throw Error(ErrorKind::kInternal, "accumulate: the tensors cannot be compared");
    return visit_dtype(target.dtype(), [&]<class T>() {
        return visit_dtype(golden.dtype(), [&]<class G>() -> Sums {
            if constexpr (kIsFloat<T> == kIsFloat<G>) {
                return accumulate_as<T, G>(target, golden, divergence, threads);
            } else {
                return {};
            }
        });
    });
}

}  // namespace npuscope::compare
