// A recorded run computed again in float64, result by result.
#pragma once

#include <functional>

#include "compare/split.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Adds the results of one run of an op to `found`; with `plain` also as float32 arithmetic makes
/// them, rounded to their dtypes. `form_of` picks the form of a run that has several. Errors: as
/// the sources.
void add_exact_outputs(const SourceOp& run,
                       const KnownInputs& known,
                       bool plain,
                       const std::function<OpRun(OpRun)>& form_of,
                       compare::ExactRun& found);

}  // namespace npuscope::diagnose
