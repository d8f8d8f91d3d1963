#include "overflow/detectors/detector.h"

namespace npuscope::overflow {

namespace {
std::optional<double> is_all_zero(const Subject& subject) {
    if (!has_values(subject)) return std::nullopt;
    const Census& census = subject.census;
    if (!census.extremes_known) return std::nullopt;
    return census.max_finite == 0 && !census.non_finite() ? 1.0 : 0.0;
}
}  // namespace

constinit const Detector k_all_zero_detector = {
    .name = "all_zero",
    .meaning =
        "every element is zero (of either sign): underflow of a whole tensor, a dead "
        "branch, or zero gradients",
    .unit = "1 or 0",
    .source = "definition",
    .severity = Severity::kRemark,
    .measure = is_all_zero,
    .is_finding = is_any,
    .title = "All zero",
    .key = "all_zero",
};

}  // namespace npuscope::overflow
