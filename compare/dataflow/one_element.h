// Single numbers that a program takes out of what it made, by steps that are not recorded.
#pragma once

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether the input is a single number on both sides, and some earlier result holds both at one
/// place: `x[-1]`, `loss[i].item()`. Complexity: one pass over the results before it.
[[nodiscard]] bool is_one_element(const PairedFlows& flows, const InputPair& input);

}  // namespace npuscope::compare
