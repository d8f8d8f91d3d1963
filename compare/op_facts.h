// What two dumps tell of an op besides its tensors, put into its result.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "compare/match.h"
#include "core/recording/side_facts.h"

namespace npuscope::compare {

/// Node, module and line of the target, else of the golden; arguments that differ; whether the
/// target overflowed and the golden did not.
void take_facts(const SideFacts& target, const SideFacts& golden, OpResult& op);

/// Of the first result. Errors: as SourceOp::load.
[[nodiscard]] Shape first_shape(const SourceOp& op);

/// An axis counted from the front on one side and from the back on the other, of shapes that differ
/// before it.
[[nodiscard]] bool are_one_axis(const OpPair& pair,
                                const std::vector<ArgumentDifference>& arguments);

}  // namespace npuscope::compare
