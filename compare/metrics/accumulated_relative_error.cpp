#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// sum |t - g| / |g|, 0 where |g| <= 2.2e-16.
///
/// Unit    none.
/// Edge    elements with |g| <= 2.2e-16 add nothing; no pair: undefined.
/// Threads pure function.
double accumulated_relative_error(const Sums& sums) {
    return sums.pairs == 0 ? kUndefinedValue : sums.rel;
}

}  // namespace

const Metric k_accumulated_relative_error_metric = {
    .name = "accumulated_relative_error",
    .unit = "",
    .formula = "sum |t - g| / |g|, 0 where |g| <= 2.2e-16",
    .source = "msaccucmp AccumulatedRelativeError, in double",
    .better = Better::kLower,
    .compute = accumulated_relative_error,
    .best = 0};

}  // namespace npuscope::compare
