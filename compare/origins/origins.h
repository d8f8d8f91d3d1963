// Where the errors that ops inherited come from, as far as no finding tells it.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Of each op that inherited its error: an input that no recorded op made, that is no told tensor,
/// and that is farther from the golden's than all that was computed before it could make is a
/// failure, and adds a culprit; where what differs was made by an op that nobody can judge,
/// OpResult::origin says so. `result.culprits` holds the tensors that are told. Of free runs whose
/// target recorded inputs; nothing is said of others. Complexity: hashes, and one pass over the
/// outputs before such an input. `threads` 0: all cores.
void judge_origins(PairedFlows& flows, int threads, Result& result);

}  // namespace npuscope::compare
