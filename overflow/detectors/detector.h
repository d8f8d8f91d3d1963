// What every detector is: a number read from a census, and when that number is a finding.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/event/observer.h"
#include "overflow/census.h"

namespace npuscope::overflow {

/// Binades below the largest finite value within which a tensor counts as about to overflow.
/// Source: our choice; two doublings of a scale, a batch or a sum's length away from overflow.
inline constexpr double kLatentBinades = 2.0;

/// One tensor as a detector sees it.
struct Subject {
    Census census;
    DType dtype = DType::kFloat32;                  ///< the tensor's own, not the file's
    ComputeType compute_type = ComputeType::kNone;  ///< kNone where unknown
    double latent_binades = kLatentBinades;

    /// The dtype whose range ends first: float16 for a float32 tensor computed in float16.
    [[nodiscard]] DType limiting_dtype() const;
};

/// Whether a finding says that values are lost, or only remarks on them.
enum class Severity : uint8_t { kDamage, kRemark };

/// One row of detectors.def.
struct Detector {
    std::string_view name;
    std::string_view meaning;
    std::string_view unit;
    std::string_view source;
    Severity severity = Severity::kRemark;
    /// Empty where it does not apply (integers, no elements).
    std::optional<double> (*measure)(const Subject& subject);
    bool (*is_finding)(double value, const Subject& subject);
    /// Of a remark: its heading in a scan's report, {} being Subject::latent_binades; its key in
    /// the report's JSON; and whether the smallest number says most.
    std::string_view title = {};
    std::string_view key = {};
    bool least_first = false;
};

#define DETECTOR(name) extern const Detector k_##name##_detector;
#include "overflow/detectors/detectors.def"
#undef DETECTOR

[[nodiscard]] std::span<const Detector* const> all_detectors();
/// nullptr when there is none of that name.
[[nodiscard]] const Detector* find_detector(std::string_view name);

struct Finding {
    const Detector* detector;
    double value;
};
/// Findings of all detectors, in the table's order.
[[nodiscard]] std::vector<Finding> detect(const Subject& subject);
/// Whether a detector of severity kDamage finds something.
[[nodiscard]] bool is_damaged(const Subject& subject);

/// For rows that report a count: any at all is a finding.
inline bool is_any(double value, const Subject&) {
    return value > 0;
}
/// Whether a detector of values applies: floating point, and not empty.
[[nodiscard]] inline bool has_values(const Subject& subject) {
    return is_float(subject.dtype) && subject.census.numel > 0;
}
/// For rows that report a count of the census.
template <int64_t Census::*kCount>
std::optional<double> count_of(const Subject& subject) {
    if (!has_values(subject)) return std::nullopt;
    return static_cast<double>(subject.census.*kCount);
}

}  // namespace npuscope::overflow
