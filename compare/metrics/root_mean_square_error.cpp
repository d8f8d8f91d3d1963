#include <cmath>

#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// sqrt(mean (t - g)^2).
///
/// Unit    t's own.
/// Edge    no pair of finite elements: undefined.
/// Threads pure function.
double root_mean_square_error(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return std::sqrt(sums.dd / static_cast<double>(sums.pairs));
}

}  // namespace

const Metric k_root_mean_square_error_metric = {
    .name = "root_mean_square_error",
    .unit = "t",
    .formula = "sqrt(mean (t - g)^2)",
    .source = "msaccucmp RootMeanSquareError, in double",
    .better = Better::kLower,
    .compute = root_mean_square_error,
    .best = 0};

}  // namespace npuscope::compare
