// Ops that were paired by their names, and that what they hold tells to be no pair.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "compare/compare.h"
#include "compare/growth/side_distances.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Places of Plan::ops.
struct NoPairs {
    std::unordered_set<size_t> strangers{};  ///< given other parameters than the golden's op
    std::unordered_set<size_t> unrelated{};  ///< with tensors of other shapes

    [[nodiscard]] bool has(size_t place) const {
        return strangers.contains(place) || unrelated.contains(place);
    }
};

/// Nothing is proved by the tensors of these: what was said of them is taken back.
[[nodiscard]] NoPairs forget_no_pairs(const Plan& plan,
                                      const SideDistances& target,
                                      const SideDistances& golden,
                                      Result& result);

}  // namespace npuscope::compare
