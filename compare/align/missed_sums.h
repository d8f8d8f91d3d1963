// Sums that the elements tell and nobody computes: an addition that one side alone has.
#pragma once

#include "compare/match.h"
#include "compare/relate/relate.h"

namespace npuscope::compare {

/// Of any two tensors that one side adds up, the other side's two have the same sum, whether or not
/// it adds them up as well: what takes the sum in tells. A sum of tensors of one rank stays where
/// the first op that takes it in, and has a partner, has one that takes in all of the terms
/// (through ops without partner, on either side): a norm that adds hidden and residual up itself.
/// Where that one takes in some of them alone the other side lacks the addition, and the relation
/// is taken out of `relations`, so that the addition is without partner. Nothing tells of a sum
/// that no such op takes in: it stays unless it was made of the terms' own partners, which any
/// addition is. `plan` pairs by names and order. Complexity: of each sum linear in the recording at
/// most.
void forget_missed_sums(const Source& target,
                        const Source& golden,
                        const Plan& plan,
                        Relations& relations);

}  // namespace npuscope::compare
