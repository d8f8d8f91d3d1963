// The best way to write two sequences of ops beside each other, both in their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compare/align/traits.h"

namespace npuscope::compare {

/// How much speaks for two ops being runs of one call; 0: they compute different things.
[[nodiscard]] int likeness(const OpTraits& target, const OpTraits& golden);

/// For each op of the target the index of its golden partner, or -1; partners ascend. The sum of
/// likenesses less a price for each run of ops without partner, and each of its ops, is the largest
/// that can be had (Gotoh, 1982, An improved algorithm for matching biological sequences), within a
/// band where the sequences are long: then those that are nearly equal are aligned exactly.
/// Complexity: linear in equal beginnings and ends, else at most some 10^8 steps for each run
/// between ops that are unique on both sides.
[[nodiscard]] std::vector<int32_t> align_sequences(std::span<const OpTraits> target,
                                                   std::span<const OpTraits> golden);

}  // namespace npuscope::compare
