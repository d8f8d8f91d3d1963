// What two dumps tell of an op besides its tensors, put into its result.
#pragma once

#include "compare/compare.h"
#include "core/recording/side_facts.h"

namespace npuscope::compare {

/// Node, module and line of the target, else of the golden; arguments that differ; whether the
/// target overflowed and the golden did not.
void take_facts(const SideFacts& target, const SideFacts& golden, OpResult& op);

}  // namespace npuscope::compare
