#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_within_noise(const Evidence& evidence) {
    const Sums& sums = evidence.sums;
    const bool differs = sums.max_d > 0 || sums.nonfinite_differs > 0;
    const bool is_small = sums.nonfinite_differs == 0
                              ? sums.max_d <= evidence.bound.floor
                              : evidence.bound.floor > sums.max_abs_g &&
                                    evidence.bound.floor - evidence.bound.floor != 0;
    return evidence.bound.floor > 0 && differs && is_small;
}

std::string within_noise_text(const Evidence& evidence) {
    return fmt::format("max|t-g| {:.3g} is within the noise of {} like runs, {:.3g}",
                       evidence.sums.max_d,
                       evidence.bound.runs + 1,
                       evidence.bound.floor);
}

}  // namespace

const Rule k_within_noise_rule = {
    .name = "within_noise",
    .meaning = "the sides are no further apart than runs that should be alike",
    .verdict = Verdict::kPass,
    .applies = is_within_noise,
    .text = within_noise_text};

}  // namespace npuscope::compare
