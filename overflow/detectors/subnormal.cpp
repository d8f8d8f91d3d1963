#include "overflow/detectors/detector.h"

namespace npuscope::overflow {

namespace {
// Statistics do not tell.
std::optional<double> subnormal_count(const Subject& subject) {
    return subject.census.counted ? count_of<&Census::subnormal>(subject) : std::nullopt;
}
}  // namespace

constinit const Detector k_subnormal_detector = {
    .name = "subnormal",
    .meaning =
        "nonzero elements below the smallest normal value (2^-14 in float16): they carry "
        "fewer digits, and the next step may be zero",
    .unit = "elements",
    .source = "IEEE 754-2019, sections 3.3 and 7.5",
    .severity = Severity::kRemark,
    .measure = subnormal_count,
    .is_finding = is_any,
    .title = "Subnormal values",
    .key = "subnormal",
};

}  // namespace npuscope::overflow
