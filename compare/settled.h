// Culprits that what somebody wrote down settles.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// Tensors that nobody computed are culprits by their elements alone: not where those are noise,
/// within a tolerance given for them, or ignored.
void forget_settled(Result& result);

}  // namespace npuscope::compare
