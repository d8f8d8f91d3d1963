// Computes the golden's program again, in float64, on what the target's ops made.
#pragma once

#include <optional>

#include "compare/dataflow/paired_flows.h"
#include "compare/replay.h"

namespace npuscope::diagnose {

/// Op by op in the golden's order: each takes in the target's numbers where the partner of what it
/// took in agrees with what the golden's ops make, else what these make. So a result is off by what
/// the target computes otherwise since the last results that agree, and by rounding. What rounding
/// may leave is what becomes of inputs that are off by `unit` of theirs. Empty where the golden's
/// inputs are not recorded. Complexity: every op of the golden twice in float64. Memory: what later
/// ops take in of results that do not agree. Threads: one at a time.
[[nodiscard]] std::optional<compare::Replay> replay_golden(compare::PairedFlows& flows,
                                                           double unit,
                                                           int threads);

}  // namespace npuscope::diagnose
