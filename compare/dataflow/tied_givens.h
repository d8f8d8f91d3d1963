// Parameters that are another tensor's transpose, part or copy, and hold other numbers.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Of Plan::given those that are not compared as inputs of their ops: through a view, or between
/// ops that are no pair. Weights and biases that do not hold the golden's numbers, up to rounding,
/// become culprits of kind tensor; what a culprit tells already is left out, and what goes into a
/// span, unless its op is at one of the places `before_growth`. Errors: none; what
/// cannot be read is left out. Memory: two tensors.
void take_tied_givens(const Plan& plan,
                      const std::unordered_set<size_t>& before_growth,
                      Result& result);

}  // namespace npuscope::compare
