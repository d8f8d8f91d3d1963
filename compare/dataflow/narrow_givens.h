// What no op made and holds numbers of 16 bits, though the golden's does not.
#pragma once

#include <string>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// What to say of the target's parameters that differ from a step of training on, which neither
/// side recorded, because they hold numbers of 16 bits: "16 of 16 parameters hold float16 numbers
/// after a step of training, …". Where nearly all do, the optimizer writes 16 bits, and none of
/// them is a fault of its own; "" where that is not so.
[[nodiscard]] std::string narrow_steps_remark(const PairedFlows& flows);

/// Whether the target was given few such tensors: they were rounded, each by itself. Where it was
/// given many, it computes with 16 bits, and its recorder may store wider than that.
[[nodiscard]] bool are_few_givens_narrow(const PairedFlows& flows);

}  // namespace npuscope::compare
