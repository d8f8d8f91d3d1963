// Results that were paired by their place alone, and belong to others.
#pragma once

#include <string>

#include "compare/dataflow/paired_flows.h"
#include "compare/growth/measured_runs.h"

namespace npuscope::compare {

/// Of a result that was paired by place: the path of a result of the golden's near there that is
/// no farther from it than `limit` of the norm, or of one of the target's that near to its partner;
/// "" without. Complexity: reads the results of as many elements near there. Errors: none; what
/// cannot be read is nowhere.
[[nodiscard]] std::string nearer_elsewhere(const PairedFlows& flows,
                                           const MeasuredRun& run,
                                           double limit);

}  // namespace npuscope::compare
