// Verdicts of results that were recorded without what they were made of.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Of recordings that hold results alone (hooks of modules, names and arrays), and of those of
/// which nobody can compute an op, nothing can be computed again, and the tolerance of a dtype
/// accuses all that was computed in fewer bits. A result that is beyond its tolerance is no finding
/// where
/// - a quarter of either side's results hold numbers of bfloat16 or float16 alone, whatever they
///   are stored in, and it is within the tolerance of that format;
/// - or it is no farther off than what was made before it, than rounding of its format and of
///   operands leaves it, and than like runs are (growth/allowance.h): `inherited`, or a pass where
///   nothing came in. One of 16 bits within its tolerance is a `fail` where it is twice as far off
///   as that. Of files whose names are sorted the order says nothing, and parameters are
///   made of nothing.
/// Where all results are parameters and most of them differ, those are `not_provable`.
/// Of dumps a few whole numbers of a result, places of elements, may be others behind what is off:
/// `order_sensitive`; and a few elements of a gate's gradient may be zero on one side.
/// Tolerances that somebody gave, elements that are not finite, whole numbers and what was judged
/// as it ran stay, and so do plans by relations (growth.h). `flows` are the result's. Complexity:
/// 4096 elements a result where any is beyond its tolerance; else nothing is read.
void judge_results_alone(const PairedFlows& flows, Result& result);

}  // namespace npuscope::compare
