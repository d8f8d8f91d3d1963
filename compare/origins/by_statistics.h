// Ops of which only statistics were recorded, judged as far as these carry.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Judges again what was judged by statistics. An input that differs came in where an op made it
/// (which equal statistics tell); what nobody made is told before anything that was computed
/// differs, and of parameters, and adds a culprit. A result fails where it is farther off than its
/// tolerance, than five times what came in and all results before it, and than rounding of operands
/// makes: 2^-10 (float16), and 2^-6 (bfloat16) for the first that differs. Up to there it is
/// inherited, or passes. A result with fewer elements than an input is a sum: it is held against
/// what was added up. The factor is a guess: nothing is proved without elements.
void judge_by_statistics(const PairedFlows& flows, Result& result);

}  // namespace npuscope::compare
