#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// mean |t - g|.
///
/// Unit    t's own.
/// Edge    no pair of finite elements: undefined.
/// Threads pure function.
double mean_absolute_error(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return sums.abs_d / static_cast<double>(sums.pairs);
}

}  // namespace

const Metric k_mean_absolute_error_metric = {.name = "mean_absolute_error",
                                             .unit = "t",
                                             .formula = "mean |t - g|",
                                             .source = "msaccucmp MeanAbsoluteError, in double",
                                             .better = Better::kLower,
                                             .compute = mean_absolute_error,
                                             .best = 0};

}  // namespace npuscope::compare
