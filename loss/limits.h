// At each common step: how far like runs may be apart there.
#pragma once

#include <optional>
#include <vector>

#include "loss/pairing.h"
#include "loss/verdict.h"

namespace npuscope::loss {

/// Of the printed digits: below this many units no difference counts.
inline constexpr double kUnits = 3;
/// Beside the largest difference so far, the next may be this many times as large.
inline constexpr double kScatter = 3;
/// So many limits apart, one step alone is a parting; nearer ones need another of the next two
/// steps.
inline constexpr double kFar = 3;
/// Beside the largest difference of like runs up to a step.
inline constexpr double kLikeScatter = 3;

/// Without like runs: max(3 units, rounding |golden|, 3 largest difference before). Differences of
/// rounding grow from update to update, but by less than that from one to the next; with them max(3
/// units, 3 largest difference of a like run up to that step).
struct Limits {
    std::vector<double> limit;
    std::optional<size_t> parting;  ///< the first step beyond its limit
    bool from_like = false;
};
[[nodiscard]] Limits limits_of(const Pairing& pair,
                               const std::vector<Pairing>& like,
                               const Options& options);

}  // namespace npuscope::loss
