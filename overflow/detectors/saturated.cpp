#include "overflow/detectors/detector.h"

namespace npuscope::overflow {

namespace {
// float32 and float64 results do not saturate, and masks hold the largest float32 on purpose.
std::optional<double> saturated_count(const Subject& subject) {
    if (!has_values(subject)) return std::nullopt;
    if (subject.dtype == DType::kFloat16 || subject.dtype == DType::kBFloat16)
        return static_cast<double>(subject.census.at_limit);
    if (subject.limiting_dtype() == DType::kFloat16)
        return static_cast<double>(subject.census.at_half_limit);
    return std::nullopt;
}
}  // namespace

constinit const Detector k_saturated_detector = {
    .name = "saturated",
    .meaning =
        "float16 or bfloat16 elements at the largest finite value of either sign, and "
        "float32 elements at 65504 that were computed in float16; from the value alone an "
        "exact result cannot be told apart",
    .unit = "elements",
    .source =
        "saturation mode of the Ascend 910A: float16 results end at 0x7BFF, bfloat16 at "
        "0x7F7F, float32 goes to inf",
    .severity = Severity::kDamage,
    .measure = saturated_count,
    .is_finding = is_any,
};

}  // namespace npuscope::overflow
