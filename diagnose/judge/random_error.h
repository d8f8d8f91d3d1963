// What holds of a random op's results whatever it drew: a mask is applied with its scale, and as
// many elements are dropped as their probability says.
#pragma once

#include <optional>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// One a result of the run, in their order; empty where nothing holds whatever was drawn. Above 1
/// the mask, the scale or the share is wrong, and Introduced::told says which. Kept elements are
/// held to a product in the arithmetic `by`; a share to eight standard deviations: n draws of
/// probability p give a share a with a probability of at most exp(-n KL(a, p)), that is held
/// against exp(-8^2 / 2). Without a recorded mask, elements that became zero were dropped. Source:
/// Hoeffding, Probability Inequalities for Sums of Bounded Random Variables (1963), theorem 1.
/// Threads: pure function.
[[nodiscard]] std::vector<std::optional<compare::Introduced>> judge_draws(const OpRun& run,
                                                                          const VectorClass& by);

}  // namespace npuscope::diagnose
