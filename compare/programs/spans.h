// Ops of one side that compute what others compute on the other: fused, or taken apart.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/traced.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Looks at each parting where both sides have ops: judges the target's ops on their own inputs,
/// and holds what comes out of them, at the ops that take it in, against what came in. Where
/// nothing there is worse than rounding makes, or one of the ops is at fault itself, it is a span
/// and no parting any more: its ops are marked, and those at fault fail. `plan` is the result's.
void take_spans(Plan& plan, const Traced& traced, const Splitter& splitter, Result& result);

}  // namespace npuscope::compare
