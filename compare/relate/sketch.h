// A few numbers that stand for a tensor's elements: alike where the elements are, up to rounding.
#pragma once

#include <array>
#include <cstdint>

#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// What is added to scores that must not count: so many times larger than the smaller ones of the
/// other elements, and at least this share of all.
inline constexpr double kMaskTimes = 300;
inline constexpr double kMaskShare = 0.02;

/// Of the elements in C order, as float64, whatever the dtype and the shape; those that are not
/// finite, or belong to a mask (-1e9 among scores), count as 0. `folded` is linear: sums of tensors
/// have the sum of their foldings (Charikar, Chen, Farach-Colton, 2002, Finding Frequent Items in
/// Data Streams), and the norm of a difference of foldings is that of the tensors up to a tenth or
/// so.
struct Sketch {
    static constexpr size_t kFolds = 64;
    static constexpr size_t kTops = 24;
    static constexpr size_t kSamples = 32;

    /// One of the largest elements by magnitude.
    struct Top {
        float value = 0;
        int64_t place = 0;  ///< in C order
    };

    int64_t numel = 0;
    int64_t nonfinite = 0;
    double sum = 0;
    double l1 = 0;
    double l2 = 0;     ///< the norm
    double cubes = 0;  ///< sum of |x|^3
    double low = 0;
    double high = 0;
    uint64_t sequence = 0;  ///< hash of the elements in their order
    uint64_t bag = 0;       ///< hash of the elements in any order
    std::array<float, kFolds> folded{};
    std::array<float, kSamples> samples{};  ///< elements from everywhere, in order
    std::array<Top, kTops> tops{};          ///< the largest first
    size_t top_count = 0;
    bool told = false;  ///< several values: other tensors do not hold them by chance

    [[nodiscard]] double largest() const { return high > -low ? high : -low; }
};

/// One pass in pieces. Errors: as ElementSource::range(). Threads: pure function.
[[nodiscard]] Sketch sketch_of(const ElementSource& elements);

/// About |a - b| / max(|a|, |b|) of the tensors' norms, from 0; 0 where both are 0. Of equal numel.
/// Above `most` any number above it.
[[nodiscard]] double distance_of(const Sketch& a, const Sketch& b, double most = 4);

/// Median of |a - b| over the median of |b|, of the samples: elements that are wrong in few places
/// do not count. Of equal numel; infinite where the samples are too few or hardly any differ from
/// 0.
[[nodiscard]] double sampled_distance(const Sketch& a, const Sketch& b);

/// Whether what does not depend on the elements' order is alike, each number up to `tolerance` of
/// its scale.
[[nodiscard]] bool hold_alike(const Sketch& a, const Sketch& b, double tolerance);

}  // namespace npuscope::compare
