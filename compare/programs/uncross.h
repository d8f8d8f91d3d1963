// Parameters that were exchanged look like ops that changed places.
#pragma once

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Behind exchanged parameters as many ops may be paired crosswise, one after the other.
inline constexpr int kMostCrossed = 4;

/// Elements pair two ops of one name crosswise, such as the query's product with the key's. Where
/// every op that takes in what the two made takes it as if they were not, the two get each other's
/// partner: then their parameters are told, not the inputs of all the others. Whether any did; the
/// flows are to be paired again then. Complexity: linear, but for few neighbours of each op.
[[nodiscard]] bool uncross(const PairedFlows& flows, Plan& plan);

}  // namespace npuscope::compare
