#include <cmath>

#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// sqrt(mean (t - g)^2).
///
/// Unit    t's own.
/// Edge    no pair of finite elements: undefined.
/// Threads pure function.
double compute(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return std::sqrt(sums.dd / static_cast<double>(sums.pairs));
}

}  // namespace

extern const Metric k_root_mean_square_error_metric;
const Metric k_root_mean_square_error_metric = {
    .name = "root_mean_square_error",
    .unit = "t",
    .formula = "sqrt(mean (t - g)^2)",
    .source = "msaccucmp RootMeanSquareError, in double",
    .better = Better::kLower,
    .compute = compute,
    .best = 0};

}  // namespace npuscope::compare
