// Operands of sums and products that one side names the other way round.
#pragma once

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Pairs of one op that gives the same whichever of its two operands comes first (`x + y` and
/// `y + x`; `alpha` 1) and whose operands are each other's: they have the other's number of
/// elements and not their own, hold what the other holds, were made by what made the other, or are
/// near to it and far from their own. Marks these pairs of `plan`, and says whether there are new
/// ones. What cannot be read is left as it is.
[[nodiscard]] bool exchange_operands(const PairedFlows& flows, Plan& plan);

}  // namespace npuscope::compare
