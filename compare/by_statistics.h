// Ops of which only statistics were recorded, judged as far as these carry.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Judges again what was judged by statistics. An input that differs came in where an op made it
/// (which equal statistics tell); what nobody made is told before anything was computed otherwise,
/// and of parameters, and adds a culprit. A result fails where its statistics are farther off than
/// five times what came in (than five times all results before, where no inputs are known), than
/// its tolerance, and than 2^-10, which operands of 16 bits make; below that it is inherited, or
/// passes. The factor is a guess that planted faults confirmed; nothing is proved without elements.
void judge_by_statistics(const PairedFlows& flows, Result& result);

}  // namespace npuscope::compare
