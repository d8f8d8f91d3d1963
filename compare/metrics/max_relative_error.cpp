#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// max |t - g| / |g|, 0 where |g| <= 2.2e-16.
///
/// Unit    none.
/// Edge    elements with |g| <= 2.2e-16 count as 0; no pair: undefined.
/// Threads pure function.
double max_relative_error(const Sums& sums) {
    return sums.pairs == 0 ? kUndefinedValue : sums.max_rel;
}

}  // namespace

const Metric k_max_relative_error_metric = {.name = "max_relative_error",
                                            .unit = "",
                                            .formula = "max |t - g| / |g|, 0 where |g| <= 2.2e-16",
                                            .source = "msaccucmp MaxRelativeError, in double",
                                            .better = Better::kLower,
                                            .compute = max_relative_error,
                                            .best = 0};

}  // namespace npuscope::compare
