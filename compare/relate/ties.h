// Relations between ops: of what was found, and of the inputs of ops that are paired by it.
#pragma once

#include <utility>
#include <vector>

#include "compare/relate/relate.h"
#include "compare/relate/tie.h"

namespace npuscope::compare {

/// Between ops, of the target's results and of what it was given, in its order.
[[nodiscard]] std::vector<TensorTie> ties_of(const Relations& relations,
                                             const Source& target,
                                             const Source& golden);

/// Of each op pair its inputs that hold tensors which are paired one to one: each target input
/// once, in its order. The pairs are op indices of both sources.
[[nodiscard]] std::vector<std::vector<TensorTie>> input_ties(
    const Relations& relations,
    const Source& target,
    const Source& golden,
    const std::vector<std::pair<size_t, size_t>>& ops);

/// Of what no op of the golden made, and a view of the target shows of what no op made there: the
/// first op that takes the view in, and what it takes.
[[nodiscard]] std::vector<TensorTie> ties_behind_views(const Relations& relations,
                                                       const Source& target,
                                                       const Source& golden);

}  // namespace npuscope::compare
