#include <algorithm>
#include <cmath>

#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// sum(t g) / (|t| |g|).
///
/// Unit    none.
/// Edge    |t| = 0 or |g| = 0, or a norm beyond double: undefined.
/// Threads pure function.
double cosine_similarity(const Sums& sums) {
    // One root keeps the value of identical tensors at exactly 1; two keep the product in range.
    const double product = sums.tt * sums.gg;
    const bool in_range = std::isnormal(product);
    const double norms = in_range ? std::sqrt(product) : std::sqrt(sums.tt) * std::sqrt(sums.gg);
    if (norms == 0 || !std::isfinite(norms)) return kUndefinedValue;
    return std::clamp(sums.tg / norms, -1.0, 1.0);
}

}  // namespace

const Metric k_cosine_similarity_metric = {.name = "cosine_similarity",
                                           .unit = "",
                                           .formula = "sum(t g) / (|t| |g|)",
                                           .source = "msaccucmp CosineSimilarity, in double",
                                           .better = Better::kHigher,
                                           .compute = cosine_similarity,
                                           .best = 1};

}  // namespace npuscope::compare
