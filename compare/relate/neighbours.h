// The paired tensors around each free one, through what is free between them.
#pragma once

#include <vector>

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// By tensor, ascending numbers that both sides share: of what a tensor was made from, and of what
/// stands beside it where it is taken in, and what is made there.
struct Neighbours {
    std::vector<std::vector<size_t>> before;
    std::vector<std::vector<size_t>> after;
    std::vector<std::vector<size_t>> taken;  ///< of `before`, what the op itself takes in
};

/// Of the free tensors of a side; none of others. One op of a side may stand for several of the
/// other: what is free is gone through. Complexity: some dozen ops a tensor.
[[nodiscard]] Neighbours neighbours_of(const Matches& matches, bool of_target);

}  // namespace npuscope::compare
