// Parameters that are another tensor's transpose, part or copy, and hold other numbers.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Of Plan::given those that are not compared as inputs of their ops: through a view, or between
/// ops that are no pair. Weights and biases that do not hold the golden's numbers, up to rounding,
/// become culprits of kind tensor; what a culprit tells already is left out. Errors: none; what
/// cannot be read is left out. Memory: two tensors.
void take_tied_givens(const Plan& plan, Result& result);

}  // namespace npuscope::compare
