// Tensors that hold the same elements in the same order, up to rounding.
#pragma once

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Pairs tensors of equal numel whose sketches are near, where no other candidate is about as near;
/// of tensors that several others equal to the bit, the k-th with the k-th where both sides have as
/// many, else the last two that ops of one kind made. Complexity: for n tensors of one numel n log
/// n, and what an index by one number leaves.
void pair_near(Matches& matches, const SourcePair& sources);

}  // namespace npuscope::compare
