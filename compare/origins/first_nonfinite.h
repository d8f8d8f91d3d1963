// The first NaN or infinity of the target's that the golden does not have.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// Where nobody can compute the op that made it, and nothing that was compared before holds one,
/// it is a failure all the same: it was made there, or by what is not recorded right before.
void accuse_first_nonfinite(Result& result);

}  // namespace npuscope::compare
