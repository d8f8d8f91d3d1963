// Inputs that show what the right op made in another way: other elements of it, or another shape.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Recorders leave views out. Of pairs of ops whose results are not the golden's though each side's
/// arithmetic is honest and no number differs: told is an input that is off where what made it, on
/// both sides, is not; or, where all inputs hold the golden's elements, one of another shape
/// (`[8]` for `[8,1]` in a product). Up to the first op that one side has more. Of recordings with
/// inputs, paired by names.
void accuse_other_views(const PairedFlows& flows, int threads, Result& result);

}  // namespace npuscope::compare
