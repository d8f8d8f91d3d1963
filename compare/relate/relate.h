// Relations between the tensors of two recordings, found from what they hold.
#pragma once

#include <vector>

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// What was found, and what it speaks of.
struct Relations {
    Listing target;
    Listing golden;
    std::vector<TensorRelation> found{};  ///< in the target's order
};

/// Pairs tensors by their elements, whatever they are called: equal ones first, then those in other
/// orders, scaled ones and parts of others, then what only its place between them tells. `threads`
/// 0: all cores; the result does not depend on it. Complexity: a pass over all elements; a few over
/// those of tensors whose partners are not equal. Memory: about a kilobyte a tensor.
[[nodiscard]] Relations relate(const Source& target, const Source& golden, int threads = 0);

}  // namespace npuscope::compare
