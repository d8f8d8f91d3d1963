// Ops of a target alone that holds outputs only: what takes in what they make.
#pragma once

#include <unordered_map>

#include "compare/dataflow/rebuild.h"

namespace npuscope::diagnose {

/// The target's op that takes in what one that only the target has makes, by the latter.
using TakersOfExtra = std::unordered_map<const SourceOp*, const SourceOp*>;

/// The golden tells what an op took in, and knows of no op between. Where an op makes nothing like
/// its result of that, and its result of what an op just before it that has no partner made, it
/// took in the latter, and so did all that follows: `rebuilder` learns it. Borrows the flows.
/// Complexity: a few ops in float64 for each op of the target alone. Errors: none.
[[nodiscard]] TakersOfExtra take_in_extra_ops(const compare::PairedFlows& flows,
                                              compare::InputRebuilder& rebuilder);

}  // namespace npuscope::diagnose
