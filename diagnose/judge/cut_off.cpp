#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "diagnose/judge/fault_pattern.h"
#include "diagnose/judge/foretold.h"

namespace npuscope::diagnose {

namespace {

/// Functions that end in a number (tanh, sigmoid) may reach it so many half units too early.
constexpr double kEarly = 4;

}  // namespace

std::optional<FaultPattern> cut_off(const ResultElements& elements) {
    double largest = 0;
    for (const double value : elements.recorded)
        largest = std::max(largest, std::abs(value));
    const double unit = elements.format.half_unit(largest);
    FaultPattern pattern{fmt::format("the largest elements are cut off at {:.6g}", largest), {}};
    double sum = 0;
    double squares = 0;
    std::vector<double> beyond;
    for (size_t i = 0; i < elements.exact.size(); ++i) {
        if (std::abs(elements.recorded[i]) != largest) continue;
        beyond.push_back(std::abs(elements.exact[i]) - largest);
        if (beyond.back() < -unit) return std::nullopt;
        pattern.places.push_back(static_cast<int64_t>(i));
        sum += beyond.back();
        squares += beyond.back() * beyond.back();
    }
    const auto count = static_cast<double>(beyond.size());
    const double rounding = kEarly * unit;
    if (!is_no_chance(squares - sum * sum / count, count * rounding * rounding, beyond))
        return std::nullopt;
    return pattern;
}

}  // namespace npuscope::diagnose
