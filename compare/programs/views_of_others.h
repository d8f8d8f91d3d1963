// Views that either program takes of something else, where results alone tell.
#pragma once

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Views, copies and casts pair by their names and order. Where the two of a pair hold what either
/// side has computed before, and not the same, each shows another result, which is compared itself:
/// both are seen through, and no pair any more. Whether there was any; the flows are to be paired
/// again then. Complexity: linear; reads the results of such pairs. `plan` is that of the flows.
[[nodiscard]] bool part_views_of_others(const PairedFlows& flows, Plan& plan);

}  // namespace npuscope::compare
