#include <algorithm>
#include <cmath>

#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// sum p ln(p/q); p, q: t, g moved to [0,1], at least 1.19e-7, over their sums.
///
/// Unit    none.
/// Edge    constant tensors are not moved; no pair, or no second pass: undefined.
/// Threads pure function.
double kullback_leibler_divergence(const Sums& sums) {
    if (sums.pairs == 0 || sums.sum_p == 0) return kUndefinedValue;
    const double divergence = sums.sum_p_log / sums.sum_p + std::log(sums.sum_q / sums.sum_p);
    return std::max(divergence, 0.0);  // never negative but for rounding
}

}  // namespace

const Metric k_kullback_leibler_divergence_metric = {
    .name = "kullback_leibler_divergence",
    .unit = "",
    .formula = "sum p ln(p/q); p, q: t, g moved to [0,1], at least 1.19e-7, over their sums",
    .source = "msaccucmp KullbackLeiblerDivergence, in double",
    .better = Better::kLower,
    .compute = kullback_leibler_divergence,
    .best = 0};

}  // namespace npuscope::compare
