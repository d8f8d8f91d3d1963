#include <cmath>

#include "overflow/detectors/detector.h"

namespace npuscope::overflow {

namespace {
std::optional<double> binades(const Subject& subject) {
    if (!has_values(subject) || subject.census.max_finite == 0) return std::nullopt;
    return std::log2(info(subject.limiting_dtype()).max_finite) -
           std::log2(subject.census.max_finite);
}

// What has overflowed already is told by inf, nan and saturated.
bool is_latent(double value, const Subject& subject) {
    return value <= subject.latent_binades && !is_damaged(subject);
}
}  // namespace

constinit const Detector k_headroom_detector = {
    .name = "headroom",
    .meaning =
        "distance of the largest finite magnitude from the largest finite value of the "
        "dtype (of float16, for float32 computed in float16); a latent overflow when it is "
        "small, 2 binades by default",
    .unit = "binades",
    .source = "log2(largest finite / max|x|); largest finite after IEEE 754-2019, section 3.3",
    .severity = Severity::kRemark,
    .measure = binades,
    .is_finding = is_latent,
    .title = "Latent overflow (within {} binades of the largest finite value)",
    .key = "latent",
    .least_first = true,
};

}  // namespace npuscope::overflow
