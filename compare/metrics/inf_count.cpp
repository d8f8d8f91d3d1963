#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// number of +inf and -inf in t.
///
/// Unit    elements.
/// Edge    none.
/// Threads pure function.
double inf_count(const Sums& sums) {
    return static_cast<double>(sums.target_inf);
}

}  // namespace

const Metric k_inf_count_metric = {.name = "inf_count",
                                   .unit = "elements",
                                   .formula = "number of +inf and -inf in t",
                                   .source = "IEEE 754-2019, section 6.1",
                                   .better = Better::kLower,
                                   .compute = inf_count,
                                   .best = 0};

}  // namespace npuscope::compare
