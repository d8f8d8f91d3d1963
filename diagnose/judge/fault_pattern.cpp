#include "diagnose/judge/fault_pattern.h"

#include <algorithm>
#include <cmath>

namespace npuscope::diagnose {

namespace {

/// Where the error is the largest share of its limit; -1 where a number is none.
int64_t furthest_of(std::span<const double> recorded,
                    std::span<const double> exact,
                    std::span<const double> limit) {
    int64_t furthest = -1;
    double largest = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
        const double error = std::abs(recorded[i] - exact[i]);
        if (!std::isfinite(error)) return -1;
        if (error == 0 || error < largest * limit[i]) continue;
        largest = limit[i] > 0 ? error / limit[i] : error;
        furthest = static_cast<int64_t>(i);
    }
    return furthest;
}

bool covers_all_over(const FaultPattern& pattern, const ResultElements& elements) {
    const auto over = [&](size_t i) {
        return std::abs(elements.recorded[i] - elements.exact[i]) > elements.limit[i];
    };
    auto place = pattern.places.begin();
    for (size_t i = 0; i < elements.exact.size(); ++i) {
        if (place != pattern.places.end() && *place == static_cast<int64_t>(i))
            ++place;
        else if (over(i))
            return false;
    }
    return true;
}

}  // namespace

std::string told_by_pattern(const RecordedResult& result,
                            std::span<const double> exact,
                            std::span<const double> limit) {
    if (result.ignored != nullptr || limit.size() != exact.size()) return {};
    const Tensor wide = result.elements.cast(DType::kFloat64);
    const std::span<const double> recorded = wide.as<double>();
    const int64_t furthest = furthest_of(recorded, exact, limit);
    if (furthest < 0) return {};
    const ResultElements elements{
        wide.shape(), recorded, exact, limit, format_of(result.elements.dtype()), furthest};
    for (const auto& pattern : {displaced, cut_off, one_number})
        if (const auto found = pattern(elements); found && covers_all_over(*found, elements))
            return found->told;
    return {};
}

}  // namespace npuscope::diagnose
