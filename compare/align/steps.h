// The steps that two recordings are aligned by: ops, or a product with the addition of its bias.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/align/traits.h"

namespace npuscope::compare {

/// Indices of a side's ops. An op, or a matrix product or convolution without bias (`first`) whose
/// next op adds a bias (`last`).
struct Step {
    size_t first = 0;
    size_t last = 0;
    OpTraits traits;

    [[nodiscard]] bool is_fused() const { return first != last; }
};

/// All ops of a side but copies and casts, in their order. A fused step has the traits of the one
/// op that computes both.
[[nodiscard]] std::vector<Step> steps_of(const BothTraits& traits, const SideTraits& side);

}  // namespace npuscope::compare
