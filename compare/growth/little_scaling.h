// Scalings that what is behind them hides.
#pragma once

#include <unordered_set>
#include <vector>

#include "compare/align/parting.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Ops that one side alone has, nothing stands for on the other, and that scale a result that is
/// the other side's as well, or put it through a function (a relu of what is hardly negative): by
/// so little that what rounding leaves behind them may hide it, or before a norm, which levels a
/// factor.
[[nodiscard]] std::unordered_set<const SourceOp*> little_scalings(
    const PairedFlows& flows, const std::vector<Parting>& partings);

}  // namespace npuscope::compare
