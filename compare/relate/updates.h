// Results that ops write over what they took in: a parameter behind the step of an optimizer.
#pragma once

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// Pairs what is left of a given tensor behind the last op that writes over it, where both sides
/// wrote over tensors that are related, and neither result has a partner: a step of one op on the
/// one side may be several of them on the other, and one that goes wrong makes elements that
/// nothing relates. Complexity: by shape, quadratic in such tensors.
void pair_updates(Matches& matches);

}  // namespace npuscope::compare
