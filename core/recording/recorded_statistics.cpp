#include "core/recording/recorded_statistics.h"

#include <limits>

namespace npuscope {

RecordedStatistics recorded_of(const Tensor& tensor) {
    return recorded_of(statistics_of(tensor));
}

RecordedStatistics recorded_of(const Statistics& found) {
    if (found.count == 0) return {};
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (found.nan > 0) return {.max = kNan, .min = kNan, .mean = kNan, .norm = kNan};
    const bool finite = found.finite == found.count;
    return {.max = found.max_of_numbers(),
            .min = found.min_of_numbers(),
            .mean = found.mean_of_numbers(),
            .norm = finite ? found.norm() : kInf};
}

}  // namespace npuscope
