#include <cmath>
#include <limits>

#include "compare/metric.h"

namespace npuscope::compare {

namespace {

/// 10 log10(sum g^2 / sum (t - g)^2).
///
/// Unit    dB.
/// Edge    t = g: infinite; g = 0: undefined.
/// Threads pure function.
double snr_db(const Sums& sums) {
    if (sums.pairs == 0 || sums.gg == 0) return kUndefinedValue;
    if (sums.dd == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(sums.gg / sums.dd);
}

}  // namespace

const Metric k_snr_db_metric = {.name = "snr_db",
                                .unit = "dB",
                                .formula = "10 log10(sum g^2 / sum (t - g)^2)",
                                .source = "signal-to-noise ratio with the golden side as signal",
                                .better = Better::kHigher,
                                .compute = snr_db,
                                .best = std::numeric_limits<double>::infinity()};

}  // namespace npuscope::compare
