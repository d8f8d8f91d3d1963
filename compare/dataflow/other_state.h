// What an optimizer keeps from step to step, and which is not the golden's.
#pragma once

#include <cstddef>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/relation.h"

namespace npuscope::compare {

/// Of tensors that no op made, indices into the flows: whether an op calculates in place with the
/// target's, and no noise makes such a one of the golden's: all of it has become zero, or a
/// multiple, or some elements differ, and the rest is the golden's to the bit. A large power of two
/// may be the scale of a loss.
[[nodiscard]] bool is_other_state(const PairedFlows& flows,
                                  size_t target,
                                  size_t golden,
                                  const Relation& relation);

}  // namespace npuscope::compare
