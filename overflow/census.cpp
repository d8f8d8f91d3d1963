#include "overflow/census.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel/parallel_for.h"
#include "overflow/census_bits.h"

namespace npuscope::overflow {

namespace {

constexpr size_t kTile = 8192;
// Below this a second thread costs more than it saves.
constexpr size_t kTilesPerTask = 128;

// How a float type stores a value: its pattern as an unsigned integer and back.
template <class Element>
struct Pattern;
template <>
struct Pattern<Float16> {
    using Bits = uint16_t;
    static Bits of(double value) { return to_float16(value).bits; }
    static double value(Bits bits) { return to_double(Float16{bits}); }
};
template <>
struct Pattern<BFloat16> {
    using Bits = uint16_t;
    static Bits of(double value) { return to_bfloat16(static_cast<float>(value)).bits; }
    static double value(Bits bits) { return to_double(BFloat16{bits}); }
};
template <>
struct Pattern<float> {
    using Bits = uint32_t;
    static Bits of(double value) { return std::bit_cast<Bits>(static_cast<float>(value)); }
    static double value(Bits bits) { return std::bit_cast<float>(bits); }
};
template <>
struct Pattern<double> {
    using Bits = uint64_t;
    static Bits of(double value) { return std::bit_cast<Bits>(value); }
    static double value(Bits bits) { return std::bit_cast<double>(bits); }
};

template <class Element>
bits::Marks<typename Pattern<Element>::Bits> marks_for(DType value_dtype) {
    using P = Pattern<Element>;
    const DTypeInfo& limits = info(value_dtype);
    const double half_limit = info(DType::kFloat16).max_finite;
    bits::Marks<typename P::Bits> marks;
    marks.infinity = P::of(std::numeric_limits<double>::infinity());
    marks.limit = P::of(limits.max_finite);
    // A bfloat16 cannot hold 65504 (its neighbours are 65280 and 65536): the limit stands in.
    const bool holds_half_limit =
        limits.max_finite >= half_limit && value_dtype != DType::kBFloat16;
    marks.half_limit = holds_half_limit ? P::of(half_limit) : marks.limit;
    marks.min_normal = P::of(limits.min_normal);
    return marks;
}

template <class Element>
Census census_of_tile(const std::byte* data,
                      size_t count,
                      const bits::Marks<typename Pattern<Element>::Bits>& marks,
                      bits::Level level) {
    using P = Pattern<Element>;
    using Bits = typename P::Bits;
    Census census;
    census.numel = static_cast<int64_t>(count);
    const auto found = bits::extremes<Bits>(data, count, level);
    const bool plain = found.largest < marks.half_limit &&
                       found.smallest_less_one >= static_cast<Bits>(marks.min_normal - 1);
    if (plain) {
        census.max_finite = P::value(found.largest);
        return census;
    }
    const bits::Counts counts = bits::count_marks<Bits>(data, count, marks, level);
    census.inf = counts.inf;
    census.nan = counts.nan;
    census.at_limit = counts.at_limit;
    census.at_half_limit = marks.half_limit == marks.limit ? 0 : counts.at_half_limit;
    census.subnormal = counts.subnormal;
    census.max_finite = P::value(static_cast<Bits>(counts.largest_finite));
    return census;
}

template <class Element>
Census census_of(const TensorView& elements, DType value_dtype, int threads) {
    const auto marks = marks_for<Element>(value_dtype);
    const bits::Level level = bits::best_level();
    const auto numel = static_cast<size_t>(elements.numel());
    const auto part = [&](size_t first, size_t last) {
        Census census;
        for (size_t at = first; at < last; at += kTile)
            census.merge(census_of_tile<Element>(
                elements.data + at * sizeof(Element), std::min(kTile, last - at), marks, level));
        return census;
    };
    constexpr size_t kTask = kTile * kTilesPerTask;
    const size_t tasks = (numel + kTask - 1) / kTask;
    if (threads == 1 || tasks < 8) return part(0, numel);
    std::vector<Census> parts(tasks);
    parallel_for(static_cast<int64_t>(tasks), threads, [&](int64_t i) {
        const size_t first = static_cast<size_t>(i) * kTask;
        parts[static_cast<size_t>(i)] = part(first, std::min(numel, first + kTask));
    });
    Census census;
    for (const Census& one : parts)
        census.merge(one);
    return census;
}

}  // namespace

void Census::merge(const Census& other) {
    numel += other.numel;
    inf += other.inf;
    nan += other.nan;
    at_limit += other.at_limit;
    at_half_limit += other.at_half_limit;
    subnormal += other.subnormal;
    max_finite = std::max(max_finite, other.max_finite);
    counted = counted && other.counted;
    extremes_known = extremes_known && other.extremes_known;
}

Census take_census(const TensorView& elements, DType value_dtype, int threads) {
    return visit_dtype(elements.dtype, [&]<class Element>() {
        if constexpr (requires { typename Pattern<Element>::Bits; }) {
            if (is_float(value_dtype)) return census_of<Element>(elements, value_dtype, threads);
        }
        Census census;
        census.numel = elements.numel();
        return census;
    });
}

Census census_of_statistics(const RecordedStatistics& statistics,
                            int64_t numel,
                            DType value_dtype) {
    Census census{.numel = numel, .counted = false};
    const double limit = info(value_dtype).max_finite;
    const double half_limit = info(DType::kFloat16).max_finite;
    bool is_bounded = true;
    for (const auto& extreme : {statistics.max, statistics.min}) {
        if (!extreme || !std::isfinite(*extreme)) {
            is_bounded = false;
            if (extreme) ++(std::isnan(*extreme) ? census.nan : census.inf);
            continue;
        }
        const double magnitude = std::fabs(*extreme);
        if (magnitude == limit) census.at_limit = 1;
        if (limit > half_limit && magnitude == half_limit) census.at_half_limit = 1;
        census.max_finite = std::max(census.max_finite, magnitude);
    }
    census.extremes_known = is_bounded;
    if (!is_bounded) census.max_finite = 0;
    // Extremes tell more than sums: a mean of both infinities is a nan, a norm may overflow alone.
    if (!statistics.max && !statistics.min)
        for (const auto& sum : {statistics.mean, statistics.norm, statistics.l1})
            if (sum && !std::isfinite(*sum)) ++(std::isnan(*sum) ? census.nan : census.inf);
    census.inf = std::min<int64_t>(census.inf, 1);
    census.nan = std::min<int64_t>(census.nan, 1);
    return census;
}

}  // namespace npuscope::overflow
