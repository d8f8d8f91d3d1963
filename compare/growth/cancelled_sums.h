// Sums of which almost nothing is left, as of the gradient of a bias that changes nothing.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/growth/measured_runs.h"

namespace npuscope::compare {

/// Where nobody knows what ops took in: whether each side's result is, to the rounding of a sum,
/// what a result before it sums to over all axes but some in a row, and these are near each other.
/// Then it is right for what came in, however far off it is beside what is left of it: it becomes
/// `inherited`. Complexity: reads the results of few ops before it. Errors: none; what cannot be
/// read is no sum.
[[nodiscard]] bool judge_cancelled_sum(const PairedFlows& flows, const MeasuredRun& run);

}  // namespace npuscope::compare
