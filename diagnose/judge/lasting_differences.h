// Ops of the golden's program that the target computes otherwise, where the difference goes on to
// the ends: coarse arithmetic may allow for it there, but it is not what that arithmetic makes. And
// those whose difference is gone right behind.
#pragma once

#include <unordered_set>

#include "compare/dataflow/paired_flows.h"
#include "diagnose/judge/replay_ends.h"

namespace npuscope::diagnose {

/// Ops of which some result is much farther off than all that the op took in, and of whose ends
/// half and more are about as far off, and much farther than what does not depend on it; with the
/// ops without partner before them.
/// Complexity: the flow, for each of the first such results.
[[nodiscard]] std::unordered_set<const SourceOp*> lasting_differences(
    const compare::Side& golden, const ReplayedResults& results);

/// Ops of which some result is a multiple of the target's, or that scale and have no partner, and
/// of which all that is made agrees within a few ops: the target's program has a factor elsewhere
/// (before a product, and not behind it).
[[nodiscard]] std::unordered_set<const SourceOp*> differences_made_good(
    const compare::Side& golden, const ReplayedResults& results);

}  // namespace npuscope::diagnose
