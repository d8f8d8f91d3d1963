#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// mean |t - g| / |g|, 0 where |g| <= 2.2e-16.
///
/// Unit    none.
/// Edge    elements with |g| <= 2.2e-16 count as 0; no pair: undefined.
/// Threads pure function.
double mean_relative_error(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return sums.rel / static_cast<double>(sums.pairs);
}

}  // namespace

const Metric k_mean_relative_error_metric = {
    .name = "mean_relative_error",
    .unit = "",
    .formula = "mean |t - g| / |g|, 0 where |g| <= 2.2e-16",
    .source = "msaccucmp MeanRelativeError, in double",
    .better = Better::kLower,
    .compute = mean_relative_error,
    .best = 0};

}  // namespace npuscope::compare
