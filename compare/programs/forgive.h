// Ops of one side that are no finding, because all that both sides made agrees.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/traced.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where no pair has a finding: of recordings that tell no dataflow, ops and calls that one side
/// alone has are another way to compute the same; where the dataflow is known, calls of the
/// target's that only show something; and, whatever else is found, counters of steps. Their
/// partings are spans after that. `traced` is nullptr where nothing was traced; `plan` is the
/// result's.
void forgive_one_sided(const Traced* traced, Plan& plan, Result& result);

}  // namespace npuscope::compare
