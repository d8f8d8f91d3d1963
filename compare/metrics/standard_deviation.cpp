#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// std(t) - std(g), population.
///
/// Unit    t's own.
/// Edge    no pair of finite elements: undefined.
/// Threads pure function.
double standard_deviation(const Sums& sums) {
    if (sums.pairs == 0) return kUndefinedValue;
    return sums.t.deviation() - sums.g.deviation();
}

}  // namespace

const Metric k_standard_deviation_metric = {
    .name = "standard_deviation",
    .unit = "t",
    .formula = "std(t) - std(g), population",
    .source = "msaccucmp StandardDeviation shows both sides; Chan, Golub, LeVeque (1983)",
    .better = Better::kNeither,
    .compute = standard_deviation,
    .best = 0};

}  // namespace npuscope::compare
