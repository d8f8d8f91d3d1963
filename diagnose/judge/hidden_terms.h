// Terms inside an op that cancel: their rounding errors are left when they are gone, and no
// disturbance of the inputs shows them, because the terms move together.
#pragma once

#include <vector>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// By element of the result, the magnitude of the terms; empty for ops without such terms.
[[nodiscard]] std::vector<double> hidden_terms(const OpRun& run, const RecordedResult& result);

}  // namespace npuscope::diagnose
