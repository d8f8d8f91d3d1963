#include <cmath>

#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// |t - g| / |g|.
///
/// Unit    none.
/// Edge    |g| = 0: undefined, unless t equals g (then 0).
/// Threads pure function.
double relative_euclidean_distance(const Sums& sums) {
    if (sums.pairs == 0 || (sums.gg == 0 && sums.dd != 0)) return kUndefinedValue;
    return sums.dd == 0 ? 0 : std::sqrt(sums.dd) / std::sqrt(sums.gg);
}

}  // namespace

const Metric k_relative_euclidean_distance_metric = {
    .name = "relative_euclidean_distance",
    .unit = "",
    .formula = "|t - g| / |g|",
    .source =
        "msaccucmp RelativeEuclideanDistance, in double; Golub and Van Loan, Matrix Computations, "
        "section 2.2",
    .better = Better::kLower,
    .compute = relative_euclidean_distance,
    .best = 0};

}  // namespace npuscope::compare
