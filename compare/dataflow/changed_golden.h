// Inputs of the golden that were changed in memory: in the target an op takes what an earlier op
// made, in the golden what nobody made, though it was made out of that.
#pragma once

#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/wiring.h"

namespace npuscope::compare {

/// In the target's order. Of the target's inputs that are what an op with a partner made, to the
/// bit, those whose golden counterpart no op made, and which is what that partner made but for a
/// factor, some elements or their order. Complexity: hashes; whole tensors of the few that nobody
/// made. Memory: three tensors in float64.
[[nodiscard]] std::vector<WiringFinding> inputs_changed_in_golden(const PairedFlows& flows);

}  // namespace npuscope::compare
