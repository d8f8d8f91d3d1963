// Ops paired by what their tensors are of each other, over pairs by name and order.
#pragma once

#include <vector>

#include "compare/match.h"
#include "compare/relate/tie.h"

namespace npuscope::compare {

/// Pairs ops whose results are tied. A pair of the plan stays as it is unless the elements of one
/// of its results were found in another op's, or its results are tied in another shape. Several
/// golden ops may make one target op's results, and several target ops parts of one golden op's.
/// Partings and golden ops without partner are counted anew.
void take_ties(const std::vector<TensorTie>& ties, Plan& plan);

/// Whether more ops have no partner than AlignOptions::kWhereUnpaired leaves alone.
[[nodiscard]] bool stays_much_unpaired(const Plan& plan);

}  // namespace npuscope::compare
