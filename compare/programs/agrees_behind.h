// Whether what is made of a result agrees again.
#pragma once

#include <cstddef>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether all that the target makes of the results of a pair is, within a few ops, compared and no
/// farther off than `limit` of max|g|: then the golden's op is no partner of the target's (a norm
/// and a sum of squares, a square root and its reciprocal), and nothing is wrong with either.
/// `result` is the plan's. Complexity: one pass over the target's tensors.
[[nodiscard]] bool agrees_behind(const PairedFlows& flows,
                                 const Result& result,
                                 size_t place,
                                 double limit);

/// Ops that were called with other numbers, given or making something else altogether, and of which
/// all that is made agrees: their pairs by name are none (the gradient's step of a square and that
/// of a reciprocal root; a factor, and that and a division), or both hide what a mask covers.
/// Nothing is accused of them. `result` is the plan's.
void forget_other_roles(const PairedFlows& flows, Result& result);

}  // namespace npuscope::compare
