// Errors that begin between ops that were paired by what they make, and that nothing tells.
#pragma once

#include <optional>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/growth/growth.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Of plans by relations. Two ops of other kinds may be honest, each by itself, and compute
/// something else; and what an op takes in may not be what ops before it made that are compared as
/// a part of another pair (a sum). The first pair whose results are farther off than all that was
/// compared before them makes is a failure and a culprit, unless a finding stands before it.
/// `result.culprits` holds the tensors that are told, `result.ops` their verdicts,
/// `result.partings` the partings. `grown` holds the pairs of other kinds that come into question,
/// where somebody looked; `flows` are nullptr where nothing was traced.
void accuse_unexplained(const Plan& plan,
                        const PairedFlows* flows,
                        const std::optional<Grown>& grown,
                        Result& result);

}  // namespace npuscope::compare
