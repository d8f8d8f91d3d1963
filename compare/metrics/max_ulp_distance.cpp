#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// max number of representable values between t and g in the target's dtype.
///
/// Unit    ulp.
/// Edge    -0 and +0 are 0 apart; integers: |t - g|; no pair: undefined.
/// Threads pure function.
double max_ulp_distance(const Sums& sums) {
    return sums.pairs == 0 ? kUndefinedValue : sums.max_ulp;
}

}  // namespace

const Metric k_max_ulp_distance_metric = {
    .name = "max_ulp_distance",
    .unit = "ulp",
    .formula = "max number of representable values between t and g in the target's dtype",
    .source = "Goldberg (1991), What Every Computer Scientist Should Know, section 1.2",
    .better = Better::kLower,
    .compute = max_ulp_distance,
    .best = 0};

}  // namespace npuscope::compare
