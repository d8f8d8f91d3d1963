// Where two runs that repeat each other to the bit part for the first time.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// For recordings without elements. Where what was computed before the first change, or nearly all
/// that was computed at all, has the golden's statistics or hashes to the bit, the two runs had the
/// same arithmetic: then the first op at which anything recorded differs is a finding, however
/// small: its result fails, or what it was given is a culprit. Elsewhere nothing changes. What
/// stands behind an op of one side alone, or behind other arguments, follows from these.
void accuse_first_change(const PairedFlows& flows, Result& result);

/// Whether accuse_first_change() may find one, by what was compared alone.
[[nodiscard]] bool may_have_first_change(const Result& result);

}  // namespace npuscope::compare
