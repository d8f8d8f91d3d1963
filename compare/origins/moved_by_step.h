// Parameters that a step of an optimizer moved, by gradients whose signs are not sure.
#pragma once

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether a step that neither side recorded may have made a parameter as far off as it is: Adam
/// and its kin step by the sign of a gradient at first, and later by its ratio to what it was, so
/// that an element whose gradient is rounding may step the other way. Both sides gave the parameter
/// to that op before, nearly equal; no element of the target's moved farther than the golden's
/// steps go; and each is off by no more than a step that is as uncertain as the gradient, a result
/// of as many elements in between, has it. Complexity: reads these results until one explains it.
/// Memory: five tensors of the parameter's size in float64.
[[nodiscard]] bool may_be_moved_by_step(const PairedFlows& flows, const InputPair& parameter);

}  // namespace npuscope::compare
