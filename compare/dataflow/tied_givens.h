// Parameters that are another tensor's transpose, part or copy, and hold other numbers.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Places of ops without partner, each with that of a pair that fails behind it.
using FailuresBehind = std::unordered_multimap<size_t, size_t>;

/// Of Plan::given those that are not compared as inputs of their ops: through a view, or between
/// ops that are no pair. Weights and biases that do not hold the golden's numbers, up to rounding,
/// become culprits of kind tensor; what a culprit tells already is left out, and what goes into a
/// span without `failures` behind it. What nobody computed and fails at the op, or behind it, is
/// inherited. Errors: none; what cannot be read is left out. Memory: two tensors.
void take_tied_givens(const Plan& plan, const FailuresBehind& failures, Result& result);

}  // namespace npuscope::compare
