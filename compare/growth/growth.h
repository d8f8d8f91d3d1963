// Verdicts of aligned ops that nobody can compute: by how much errors grow there.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "compare/compare.h"
#include "compare/dataflow/traced.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where errors grow, as places in the plan.
struct Grown {
    /// Pairs that were computed again, and whose results are farther off all the same.
    /// And how many times farther than what came in and what rounding leaves.
    std::unordered_map<size_t, double> pairs{};
    /// Ops without partner on the way to results that fail, and the pairs that make these.
    std::unordered_multimap<size_t, size_t> crossed{};
};

/// Of plans by relations. A result that was not computed again is held against what came into the
/// op, on either side and through ops that have no partner: the formats that the elements are
/// rounded to, and what like runs of the op add, say how much of its own error it may have.
/// Partings across which nothing grows are spans and no partings any more. `plan` is the result's.
/// Empty of other plans.
[[nodiscard]] std::optional<Grown> judge_growth(const Traced& traced, Plan& plan, Result& result);

}  // namespace npuscope::compare
