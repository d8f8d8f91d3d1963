#include "overflow/detectors/detector.h"

#include <array>

namespace npuscope::overflow {

namespace {
constexpr std::array kDetectors = {
#define DETECTOR(name) &k_##name##_detector,
#include "overflow/detectors/detectors.def"
#undef DETECTOR
};
}  // namespace

DType Subject::limiting_dtype() const {
    return dtype == DType::kFloat32 && compute_type == ComputeType::kFloat16 ? DType::kFloat16
                                                                             : dtype;
}

std::span<const Detector* const> all_detectors() {
    return kDetectors;
}

const Detector* find_detector(std::string_view name) {
    for (const Detector* detector : kDetectors)
        if (detector->name == name) return detector;
    return nullptr;
}

std::vector<Finding> detect(const Subject& subject) {
    std::vector<Finding> findings;
    for (const Detector* detector : kDetectors) {
        const std::optional<double> value = detector->measure(subject);
        if (value && detector->is_finding(*value, subject)) findings.push_back({detector, *value});
    }
    return findings;
}

bool is_damaged(const Subject& subject) {
    for (const Detector* detector : kDetectors) {
        if (detector->severity != Severity::kDamage) continue;
        const std::optional<double> value = detector->measure(subject);
        if (value && detector->is_finding(*value, subject)) return true;
    }
    return false;
}

}  // namespace npuscope::overflow
