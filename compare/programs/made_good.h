// What becomes of what ops without partner make: whether the program makes it good again.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Of the norm: what is nearer is what the golden's program makes.
inline constexpr double kMadeGood = 0.02;

/// Of the target's ops without partner: those of which an op that has one takes in a result that is
/// not what its partner takes in. `places` are those of the plan's ops.
[[nodiscard]] std::unordered_set<const SourceOp*> felt_later(
    const PairedFlows& flows,
    const std::unordered_map<const SourceOp*, size_t>& places,
    const Result& result);

/// Whether `extra` (ops of the target without partner) are scalings that change much, and all that
/// takes in what they make, through copies and views, has a partner, an op of the golden, of which
/// `is_made_good` knows that the target makes the same or comes to it: `(q / 8) @ k` beside
/// `(q @ k) / 8`. `places` are those of the plan's ops. Errors: as the sources' when a file cannot
/// be read.
[[nodiscard]] bool are_scalings_made_good(const PairedFlows& flows,
                                          const std::vector<const SourceOp*>& extra,
                                          const std::unordered_map<const SourceOp*, size_t>& places,
                                          const std::function<bool(const SourceOp&)>& is_made_good);

}  // namespace npuscope::compare
