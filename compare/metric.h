// One row of compare/metrics/metrics.def: a number computed from the sums of a tensor pair.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "compare/measure/sums.h"

namespace npuscope::compare {

enum class Better : uint8_t { kLower, kHigher, kNeither };

struct Metric {
    std::string_view name;  ///< snake_case, the column and JSON key
    std::string_view unit;  ///< "" for none, "t" for the tensor's own unit, "dB", "ulp", "elements"
    std::string_view formula;  ///< t target, g golden
    std::string_view source;
    Better better = Better::kLower;
    /// NaN where the formula has no value.
    double (*compute)(const Sums& sums) = nullptr;
    double best = 0;  ///< for identical tensors with finite, varying elements; NaN: depends on them
};

inline constexpr double kUndefinedValue = std::numeric_limits<double>::quiet_NaN();

#define METRIC(name) extern const Metric k_##name##_metric;
#include "compare/metrics/metrics.def"
#undef METRIC

/// In the order of metrics.def, which is the order of TensorResult::metrics.
[[nodiscard]] std::span<const Metric* const> all_metrics();
/// The index in all_metrics(), or -1.
[[nodiscard]] int metric_index(std::string_view name);

}  // namespace npuscope::compare
