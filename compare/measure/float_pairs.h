// The sums of a tile of finite float32 pairs, with the widest vectors that the CPU has.
#pragma once

#include <cstddef>

#include "compare/measure/sums.h"

namespace npuscope::compare {

/// Everything is computed in double: differences, quotients and sums, the latter in eight lanes
/// that take every eighth pair. The bits are the same for every instruction set.
///
/// Returns false, with nothing useful in `sums`, when an element is not finite. Else fills every
/// member that is over pairs (numel and pairs too, not those of the divergence), max_ulp in units
/// of float32; max_d_at stays -1. Threads: pure function.
[[nodiscard]] bool add_float_pairs(const float* target,
                                   const float* golden,
                                   size_t count,
                                   Sums& sums);

/// Adds the normalised values' masses and sum P ln(P/Q) of finite pairs, in the same lanes; the
/// extremes are those of the whole tensors.
void add_float_divergence(
    const float* target, const float* golden, size_t count, const Sums& extremes, Sums& sums);

}  // namespace npuscope::compare
