// Computes the golden's program again, in float64, on what the target's ops made.
#pragma once

#include <functional>
#include <optional>

#include "compare/dataflow/paired_flows.h"
#include "compare/replay.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// What is known of both sides' arithmetic.
struct ReplayKnown {
    /// The unit of the coarsest arithmetic of the target's products, or of its other ops, whose
    /// results are stored in that dtype; of all its ops where it is not known.
    std::function<double(bool is_product, std::optional<DType> stored)> unit_of{};
    /// Of a run of the golden that has several forms, its own, or the target's where that runs the
    /// same op.
    std::function<OpRun(OpRun, bool by_target)> form_of{};
    /// What the target's products lose of operands that are near zero.
    double lost_of_operands = 0;
};

/// Op by op in the golden's order: each takes in the target's numbers where the partner of what it
/// took in agrees with what the golden's ops make, else what these make. So a result is off by what
/// the target computes otherwise since the last results that agree, and by rounding. What rounding
/// may leave is what becomes of inputs that are off by a unit of the target's arithmetic. Empty
/// where the golden's inputs are not recorded. Complexity: every op of the golden twice in float64.
/// Memory: what later ops take in of results that do not agree. Threads: one at a time.
[[nodiscard]] std::optional<compare::Replay> replay_golden(compare::PairedFlows& flows,
                                                           const ReplayKnown& known,
                                                           int threads);

}  // namespace npuscope::diagnose
