// Stretches of two programs that take other steps and come to the same, where results alone tell.
#pragma once

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where a side holds results only: one program has an op more, the pairs behind it are multiples,
/// then the other program has an op more, whose result is what the last of these pairs makes on
/// the first side, as where attention scales its queries before their product or the product
/// behind it; or one has an op more behind such a pair, as a bias that is added apart; or both have
/// other ops between two pairs, which end in the same. The stretch becomes one pair of several ops,
/// compared by its end, and its partings end. Whether there was any; the flows are to be paired
/// again then. Complexity: linear; reads the results of the stretches. `plan` is that of the flows.
[[nodiscard]] bool close_stretches(const PairedFlows& flows, Plan& plan);

}  // namespace npuscope::compare
