#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// share of elements with |t - g| <= 1e-3 |g|.
///
/// Unit    none.
/// Edge    where g = 0 only t = 0 is within; no pair: undefined.
/// Threads pure function.
double share_within_1e3(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return static_cast<double>(sums.within_1e3) / static_cast<double>(sums.pairs);
}

}  // namespace

const Metric k_share_within_1e3_metric = {.name = "share_within_1e3",
                                          .unit = "",
                                          .formula = "share of elements with |t - g| <= 1e-3 |g|",
                                          .source = "one-thousandth error ratio",
                                          .better = Better::kHigher,
                                          .compute = share_within_1e3,
                                          .best = 1};

}  // namespace npuscope::compare
