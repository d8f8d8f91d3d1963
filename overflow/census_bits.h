// The loops below a census: magnitudes of IEEE bit patterns, with a vector path where the CPU has
// one. Included by the census and its tests only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npuscope::overflow::bits {

/// Of the magnitudes m (the pattern without its sign bit) of a run of elements.
template <class Bits>
struct Extremes {
    Bits largest = 0;
    /// Smallest m - 1 in unsigned arithmetic, so that zeros come out as the largest of all.
    Bits smallest_less_one = static_cast<Bits>(~Bits{0});
};

/// Magnitudes that are counted.
template <class Bits>
struct Marks {
    Bits infinity = 0;
    Bits limit = 0;       ///< the largest finite value
    Bits half_limit = 0;  ///< 65504; the same as limit where the dtype ends there
    Bits min_normal = 0;
};

struct Counts {
    int64_t inf = 0;
    int64_t nan = 0;
    int64_t at_limit = 0;
    int64_t at_half_limit = 0;
    int64_t subnormal = 0;
    uint64_t largest_finite = 0;  ///< a magnitude
};

/// Which instructions a loop may use.
enum class Level : uint8_t { kPortable, kAvx2, kAvx512 };
[[nodiscard]] Level best_level();

/// Bits is uint16_t, uint32_t or uint64_t; `data` needs no alignment. All levels give the same.
template <class Bits>
[[nodiscard]] Extremes<Bits> extremes(const std::byte* data, size_t count, Level level);

/// At most 65535 elements.
template <class Bits>
[[nodiscard]] Counts count_marks(const std::byte* data,
                                 size_t count,
                                 const Marks<Bits>& marks,
                                 Level level);

}  // namespace npuscope::overflow::bits
