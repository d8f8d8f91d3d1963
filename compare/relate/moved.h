// Tensors that hold the same elements in another order: permuted, transposed, other layouts.
#pragma once

#include <optional>

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// How the target's elements make the golden's: the arrangement that fits best, within
/// `most_distance`; empty without one. Also in their order. Reads both tensors.
[[nodiscard]] std::optional<TensorRelation> arranged(const Matches& matches,
                                                     const SourcePair& sources,
                                                     size_t target,
                                                     size_t golden,
                                                     double most_distance);

/// Pairs free tensors that hold the same elements to the bit, of which each side has one, where no
/// private format tells how.
void pair_same_elements(Matches& matches, const SourcePair& sources);

/// Pairs free tensors whose elements are alike in any order and fit an arrangement of their axes.
void pair_moved(Matches& matches, const SourcePair& sources);

}  // namespace npuscope::compare
