// Two ops of a chain that run the other way round on the other side.
#pragma once

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// The root of a quotient is a quotient of roots: where an op of the target is given what another
/// one made, and of their partners the other takes in what the one made, and nobody else takes in
/// either, they are no pairs but one parting, of two ops on each side, which is judged by what
/// comes out. Whether there was any; the flows are to be paired again then. Complexity: linear.
[[nodiscard]] bool part_exchanged(const PairedFlows& flows, Plan& plan);

}  // namespace npuscope::compare
