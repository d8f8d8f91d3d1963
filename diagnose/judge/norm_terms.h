// What a variance in one pass makes of a norm: the mean of the squares less the squared mean, as
// several chips compute it. Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., section 1.9.
#pragma once

#include <vector>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// By element of the result, the change that the unit makes in it when the squares err by one: of
/// batch, layer and group norm that take their statistics from their input. Empty for other
/// results.
[[nodiscard]] std::vector<double> one_pass_terms(const OpRun& run, const RecordedResult& result);

}  // namespace npuscope::diagnose
