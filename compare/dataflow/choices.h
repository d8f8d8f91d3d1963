// Whole numbers that a step may have made of floats that an op computed: indices, masks, bins.
#pragma once

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether the golden's whole numbers or bools of an input are what a step that is not recorded
/// chose of a result before it that is not the golden's: the places of its largest or smallest
/// elements along an axis, in order; its elements cut to whole numbers; of 0 and 1, those above or
/// below a threshold. Arithmetic of another chip may then choose otherwise. Complexity: a pass over
/// the golden's results before it. Memory: one of them in float64. Results that cannot be read are
/// left out.
[[nodiscard]] bool may_be_chosen(const PairedFlows& flows, const InputPair& input);

}  // namespace npuscope::compare
