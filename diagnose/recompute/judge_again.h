// The results of a recorded run judged by what the run itself introduced.
#pragma once

#include <optional>
#include <span>

#include "compare/compare.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/side_judge.h"
#include "diagnose/recompute/recompute.h"

namespace npuscope::diagnose {

/// Of a run with its floats widened. `results` are of its results, judged by the device's, which
/// may be missing; where the run can be computed again, its arithmetic decides, and `shares` says
/// how far off it is.
void judge_again(OpRun run,
                 const SideJudge& judge,
                 const Results& of_device,
                 std::span<compare::TensorResult> results,
                 std::span<std::optional<Errors>> shares);

/// Of a random op's run, likewise, as judge_draws(); `results` are of its results, in their order.
/// What the device drew as well passes, what only chance decides is not provable.
void judge_draws_again(const OpRun& run,
                       const SideJudge& judge,
                       std::span<compare::TensorResult> results);

}  // namespace npuscope::diagnose
