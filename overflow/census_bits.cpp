#include "overflow/census_bits.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#define NPUSCOPE_X86 1
#endif

namespace npuscope::overflow::bits {

namespace {

template <class Bits>
constexpr Bits kMagnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);

template <class Bits>
Bits magnitude_at(const std::byte* data, size_t index) {
    Bits bits;
    std::memcpy(&bits, data + index * sizeof(Bits), sizeof(Bits));
    return bits & kMagnitude<Bits>;
}

template <class Bits>
void extend(Extremes<Bits>& found, const std::byte* data, size_t from, size_t count) {
    for (size_t i = from; i < count; ++i) {
        const Bits m = magnitude_at<Bits>(data, i);
        found.largest = std::max(found.largest, m);
        found.smallest_less_one = std::min(found.smallest_less_one, static_cast<Bits>(m - Bits{1}));
    }
}

template <class Bits>
void extend(
    Counts& counts, const std::byte* data, size_t from, size_t count, const Marks<Bits>& marks) {
    const auto below_normal = static_cast<Bits>(marks.min_normal - 1);
    Bits largest = 0;
    for (size_t i = from; i < count; ++i) {
        const Bits m = magnitude_at<Bits>(data, i);
        counts.nan += m > marks.infinity;
        counts.inf += m == marks.infinity;
        counts.at_limit += m == marks.limit;
        counts.at_half_limit += m == marks.half_limit;
        counts.subnormal += static_cast<Bits>(m - Bits{1}) < below_normal;
        if (m < marks.infinity) largest = std::max(largest, m);
    }
    counts.largest_finite = std::max<uint64_t>(counts.largest_finite, largest);
}

#if NPUSCOPE_X86

// Far enough ahead that the line arrives in time, near enough that it is still there.
constexpr size_t kPrefetchBytes = 2048;

template <class Bits, class Vector>
void fold(Extremes<Bits>& found, const Vector& largest, const Vector& smallest) {
    constexpr size_t kLanes = sizeof(Vector) / sizeof(Bits);
    Bits lanes[2][kLanes];
    std::memcpy(lanes[0], &largest, sizeof largest);
    std::memcpy(lanes[1], &smallest, sizeof smallest);
    for (size_t i = 0; i < kLanes; ++i) {
        found.largest = std::max(found.largest, lanes[0][i]);
        found.smallest_less_one = std::min(found.smallest_less_one, lanes[1][i]);
    }
}

#define NPUSCOPE_EXTREMES(name, isa, Bits, Vector, load, set1, all_and, add, max, min)     \
    [[gnu::target(isa)]] Extremes<Bits> name(const std::byte* data, size_t count) {        \
        constexpr size_t kLanes = sizeof(Vector) / sizeof(Bits);                           \
        using Signed = std::make_signed_t<Bits>;                                           \
        const Vector mask = set1(static_cast<Signed>(kMagnitude<Bits>));                   \
        const Vector minus_one = set1(-1);                                                 \
        Vector largest = set1(0);                                                          \
        Vector other_largest = largest;                                                    \
        Vector smallest = minus_one;                                                       \
        Vector other_smallest = minus_one;                                                 \
        size_t i = 0;                                                                      \
        for (; i + 2 * kLanes <= count; i += 2 * kLanes) {                                 \
            const std::byte* at = data + i * sizeof(Bits);                                 \
            _mm_prefetch(reinterpret_cast<const char*>(at + kPrefetchBytes), _MM_HINT_T0); \
            if constexpr (sizeof(Vector) == 64)                                            \
                _mm_prefetch(reinterpret_cast<const char*>(at + kPrefetchBytes + 64),      \
                             _MM_HINT_T0);                                                 \
            const Vector m = all_and(load(at), mask);                                      \
            const Vector other = all_and(load(at + sizeof(Vector)), mask);                 \
            largest = max(largest, m);                                                     \
            other_largest = max(other_largest, other);                                     \
            smallest = min(smallest, add(m, minus_one));                                   \
            other_smallest = min(other_smallest, add(other, minus_one));                   \
        }                                                                                  \
        largest = max(largest, other_largest);                                             \
        smallest = min(smallest, other_smallest);                                          \
        Extremes<Bits> found;                                                              \
        fold(found, largest, smallest);                                                    \
        extend(found, data, i, count);                                                     \
        return found;                                                                      \
    }

#define LOAD_256(at) _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))
#define LOAD_512(at) _mm512_loadu_si512(at)
// With every lane selected: the plain forms make GCC 12 warn about its own header.
#define MAX_512(a, b) _mm512_maskz_max_epu32(0xffff, a, b)
#define MIN_512(a, b) _mm512_maskz_min_epu32(0xffff, a, b)
NPUSCOPE_EXTREMES(extremes16_avx2,
                  "avx2",
                  uint16_t,
                  __m256i,
                  LOAD_256,
                  _mm256_set1_epi16,
                  _mm256_and_si256,
                  _mm256_add_epi16,
                  _mm256_max_epu16,
                  _mm256_min_epu16)
NPUSCOPE_EXTREMES(extremes32_avx2,
                  "avx2",
                  uint32_t,
                  __m256i,
                  LOAD_256,
                  _mm256_set1_epi32,
                  _mm256_and_si256,
                  _mm256_add_epi32,
                  _mm256_max_epu32,
                  _mm256_min_epu32)
NPUSCOPE_EXTREMES(extremes16_avx512,
                  "avx512f,avx512bw",
                  uint16_t,
                  __m512i,
                  LOAD_512,
                  _mm512_set1_epi16,
                  _mm512_and_si512,
                  _mm512_add_epi16,
                  _mm512_max_epu16,
                  _mm512_min_epu16)
NPUSCOPE_EXTREMES(extremes32_avx512,
                  "avx512f,avx512bw",
                  uint32_t,
                  __m512i,
                  LOAD_512,
                  _mm512_set1_epi32,
                  _mm512_and_si512,
                  _mm512_add_epi32,
                  MAX_512,
                  MIN_512)
#undef NPUSCOPE_EXTREMES
#undef MAX_512
#undef MIN_512

template <class Bits, class Vector>
int64_t sum_lanes(const Vector& counters) {
    Bits lanes[sizeof(Vector) / sizeof(Bits)];
    std::memcpy(lanes, &counters, sizeof counters);
    int64_t sum = 0;
    for (const Bits lane : lanes)
        sum += lane;
    return sum;
}

// A comparison leaves all ones, which is -1: subtracting it counts. Magnitudes are not negative,
// so signed comparisons order them.
#define NPUSCOPE_COUNT(name, Bits, set1, sub, equal, greater, max)                            \
    [[gnu::target("avx2")]] Counts name(                                                      \
        const std::byte* data, size_t count, const Marks<Bits>& marks) {                      \
        using Signed = std::make_signed_t<Bits>;                                              \
        constexpr size_t kLanes = sizeof(__m256i) / sizeof(Bits);                             \
        const __m256i mask = set1(static_cast<Signed>(kMagnitude<Bits>));                     \
        const __m256i infinity = set1(static_cast<Signed>(marks.infinity));                   \
        const __m256i limit = set1(static_cast<Signed>(marks.limit));                         \
        const __m256i half_limit = set1(static_cast<Signed>(marks.half_limit));               \
        const __m256i min_normal = set1(static_cast<Signed>(marks.min_normal));               \
        const __m256i zero = _mm256_setzero_si256();                                          \
        __m256i nans = zero, infs = zero, limits = zero, half_limits = zero;                  \
        __m256i subnormals = zero, largest = zero;                                            \
        size_t i = 0;                                                                         \
        for (; i + kLanes <= count; i += kLanes) {                                            \
            const __m256i m = _mm256_and_si256(LOAD_256(data + i * sizeof(Bits)), mask);      \
            nans = sub(nans, greater(m, infinity));                                           \
            infs = sub(infs, equal(m, infinity));                                             \
            limits = sub(limits, equal(m, limit));                                            \
            half_limits = sub(half_limits, equal(m, half_limit));                             \
            const __m256i small = _mm256_and_si256(greater(min_normal, m), greater(m, zero)); \
            subnormals = sub(subnormals, small);                                              \
            largest = max(largest, _mm256_and_si256(m, greater(infinity, m)));                \
        }                                                                                     \
        Counts counts;                                                                        \
        counts.nan = sum_lanes<Bits>(nans);                                                   \
        counts.inf = sum_lanes<Bits>(infs);                                                   \
        counts.at_limit = sum_lanes<Bits>(limits);                                            \
        counts.at_half_limit = sum_lanes<Bits>(half_limits);                                  \
        counts.subnormal = sum_lanes<Bits>(subnormals);                                       \
        Extremes<Bits> finite;                                                                \
        fold(finite, largest, zero);                                                          \
        counts.largest_finite = finite.largest;                                               \
        extend(counts, data, i, count, marks);                                                \
        return counts;                                                                        \
    }
NPUSCOPE_COUNT(count16_avx2,
               uint16_t,
               _mm256_set1_epi16,
               _mm256_sub_epi16,
               _mm256_cmpeq_epi16,
               _mm256_cmpgt_epi16,
               _mm256_max_epi16)
NPUSCOPE_COUNT(count32_avx2,
               uint32_t,
               _mm256_set1_epi32,
               _mm256_sub_epi32,
               _mm256_cmpeq_epi32,
               _mm256_cmpgt_epi32,
               _mm256_max_epi32)
#undef NPUSCOPE_COUNT
#undef LOAD_256
#undef LOAD_512

#endif  // NPUSCOPE_X86

}  // namespace

Level best_level() {
#if NPUSCOPE_X86
    if (__builtin_cpu_supports("avx512bw")) return Level::kAvx512;
    if (__builtin_cpu_supports("avx2")) return Level::kAvx2;
#endif
    return Level::kPortable;
}

template <class Bits>
Extremes<Bits> extremes(const std::byte* data, size_t count, Level level) {
#if NPUSCOPE_X86
    if constexpr (sizeof(Bits) == 2) {
        if (level == Level::kAvx512) return extremes16_avx512(data, count);
        if (level == Level::kAvx2) return extremes16_avx2(data, count);
    } else if constexpr (sizeof(Bits) == 4) {
        if (level == Level::kAvx512) return extremes32_avx512(data, count);
        if (level == Level::kAvx2) return extremes32_avx2(data, count);
    }
#endif
    static_cast<void>(level);
    Extremes<Bits> found;
    extend(found, data, 0, count);
    return found;
}

template <class Bits>
Counts count_marks(const std::byte* data, size_t count, const Marks<Bits>& marks, Level level) {
#if NPUSCOPE_X86
    if constexpr (sizeof(Bits) == 2) {
        if (level != Level::kPortable) return count16_avx2(data, count, marks);
    } else if constexpr (sizeof(Bits) == 4) {
        if (level != Level::kPortable) return count32_avx2(data, count, marks);
    }
#endif
    static_cast<void>(level);
    Counts counts;
    extend(counts, data, 0, count, marks);
    return counts;
}

#define INSTANTIATE(Bits)                                                    \
    template Extremes<Bits> extremes<Bits>(const std::byte*, size_t, Level); \
    template Counts count_marks<Bits>(const std::byte*, size_t, const Marks<Bits>&, Level);
INSTANTIATE(uint16_t)
INSTANTIATE(uint32_t)
INSTANTIATE(uint64_t)
#undef INSTANTIATE

}  // namespace npuscope::overflow::bits
