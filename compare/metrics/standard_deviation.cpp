#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// std(t) - std(g), population.
///
/// Unit    t's own.
/// Edge    no pair of finite elements: undefined.
/// Threads pure function.
double compute(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return sums.t.deviation() - sums.g.deviation();
}

}  // namespace

extern const Metric k_standard_deviation_metric;
const Metric k_standard_deviation_metric = {
    .name = "standard_deviation",
    .unit = "t",
    .formula = "std(t) - std(g), population",
    .source = "msaccucmp StandardDeviation shows both sides; Chan, Golub, LeVeque (1983)",
    .better = Better::kNeither,
    .compute = compute,
    .best = 0};

}  // namespace npuscope::compare
