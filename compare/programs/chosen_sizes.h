// Results that are longer or shorter than the golden's because other elements were chosen.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/traced.h"
#include "compare/match.h"
#include "compare/split.h"

namespace npuscope::compare {

/// A router that sends a token to another expert, as noise may, gives each of the two another
/// number of rows, and so all that is computed of these. Where an op that chooses its size
/// (core/naming/chosen_sizes.h) took in other elements, or an op took in what has such a size, and
/// its results are right on their own inputs, their shapes are inherited. `plan` is the result's.
void take_chosen_sizes(const Plan& plan,
                       const Traced& traced,
                       const Splitter& splitter,
                       Result& result);

}  // namespace npuscope::compare
