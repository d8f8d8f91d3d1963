// In a replay, ops of one program that are steps of what the other computes in an op of its own.
#pragma once

#include <unordered_set>

#include "diagnose/judge/replay_ends.h"

namespace npuscope::diagnose {

/// The target's ops between results that agree, but those that made them: where so little is
/// allowed, or the golden's op is of another kind (a norm that the target writes out), they are
/// steps of it.
[[nodiscard]] std::unordered_set<const SourceOp*> ops_explained(const compare::PairedFlows& flows,
                                                                const ReplayedResults& results);

/// Whether the golden's result, or what it is a copy of, was paired with one of an op of another
/// kind, and its op is `settled`: what a program makes on the way to results that agree is no
/// partner of what the other makes there. The same of a copy of what has no partner itself, beside
/// a result of its op that agrees.
[[nodiscard]] bool is_on_the_way(const compare::PairedFlows& flows,
                                 const ReplayedResults& results,
                                 const std::unordered_set<const SourceOp*>& settled,
                                 size_t result);

}  // namespace npuscope::diagnose
