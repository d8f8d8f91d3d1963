#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// number of nan in t.
///
/// Unit    elements.
/// Edge    none.
/// Threads pure function.
double nan_count(const Sums& sums) {
    return static_cast<double>(sums.target_nan);
}

}  // namespace

const Metric k_nan_count_metric = {.name = "nan_count",
                                   .unit = "elements",
                                   .formula = "number of nan in t",
                                   .source = "IEEE 754-2019, section 6.2",
                                   .better = Better::kLower,
                                   .compute = nan_count,
                                   .best = 0};

}  // namespace npuscope::compare
