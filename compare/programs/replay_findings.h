// What the golden's program makes of the target's numbers decides whether two programs that do not
// match make the same.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"
#include "compare/split.h"

namespace npuscope::compare {

/// Of free runs whose programs do not match. Where all that the golden's program ends in is what it
/// makes of the target's numbers, that programs part is no finding, wherever. Where it is not, and
/// nothing tells why at the first result that is not so, that is a finding; and what programs part
/// in before it is none. Findings about an op's own arithmetic, its arguments and about what nobody
/// computed stay.
void judge_by_replay(const Splitter& splitter, PairedFlows& flows, Plan& plan, Result& result);

}  // namespace npuscope::compare
