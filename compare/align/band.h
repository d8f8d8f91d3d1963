// Two sequences aligned within a band around the diagonal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compare/align/traits.h"

namespace npuscope::compare {

/// Cells of the table that a band of this half width has.
[[nodiscard]] int64_t cells_of_band(int64_t target, int64_t golden, int64_t half_width);

struct BandAlignment {
    std::vector<int32_t> partners;  ///< as align_sequences()
    int64_t farthest = 0;           ///< how far its path is from the diagonal, at most `half_width`
};

/// The best path that stays within `half_width` of the diagonal. Memory: a byte a cell.
[[nodiscard]] BandAlignment align_in_band(std::span<const OpTraits> target,
                                          std::span<const OpTraits> golden,
                                          int64_t half_width);

}  // namespace npuscope::compare
