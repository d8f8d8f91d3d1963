#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// max |t - g|.
///
/// Unit    t's own.
/// Edge    no pair of finite elements: undefined.
/// Threads pure function.
double max_absolute_error(const Sums& sums) {
    return sums.pairs == 0 ? kUndefinedValue : sums.max_d;
}

}  // namespace

const Metric k_max_absolute_error_metric = {.name = "max_absolute_error",
                                            .unit = "t",
                                            .formula = "max |t - g|",
                                            .source = "msaccucmp MaxAbsoluteError, in double",
                                            .better = Better::kLower,
                                            .compute = max_absolute_error,
                                            .best = 0};

}  // namespace npuscope::compare
