// Where in a plan errors, and the backward pass, begin.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// By op of the plan: an output of this pair or of one before it is not the golden's.
[[nodiscard]] std::vector<bool> differing_outputs(const PairedFlows& flows);

/// The place of the target's first op of a backward pass, as its name tells; empty without one.
[[nodiscard]] std::optional<size_t> first_backward_of(const PairedFlows& flows);

}  // namespace npuscope::compare
