#include <array>

#include "compare/metric.h"

namespace npuscope::compare {

std::span<const Metric* const> all_metrics() {
    static constexpr auto kMetrics = std::to_array<const Metric*>({
#define METRIC(name) &k_##name##_metric,
#include "compare/metrics/metrics.def"
#undef METRIC
    });
    return kMetrics;
}

int metric_index(std::string_view name) {
    const auto metrics = all_metrics();
    for (size_t i = 0; i < metrics.size(); ++i)
        if (metrics[i]->name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace npuscope::compare
