// Ops of one side that compute what others compute on the other: fused, or taken apart.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "compare/compare.h"
#include "compare/match.h"
#include "compare/program_findings.h"

namespace npuscope::compare {

/// Looks at each parting where both sides have ops: judges the target's ops on their own inputs,
/// and holds what comes out of them, at the ops that take it in, against what came in. Where
/// nothing there is worse than rounding makes, or one of the ops is at fault itself, it is a span
/// and no parting any more: its ops are marked, and those at fault fail. `plan` is the result's.
void take_spans(Plan& plan, const Traced& traced, const Splitter& splitter, Result& result);

/// Makes a parting a span: its ops are marked. `entry` and `exit` as SpanResult has them, `places`
/// are indices into Result::ops.
void mark_span(const Parting& parting,
               double entry,
               std::optional<double> exit,
               const std::unordered_map<const SourceOp*, size_t>& places,
               Result& result);

}  // namespace npuscope::compare
