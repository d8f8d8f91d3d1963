#include <cmath>

#include <fmt/format.h>

#include "diagnose/judge/fault_pattern.h"

namespace npuscope::diagnose {

namespace {

constexpr size_t kFewest = 4;

}  // namespace

std::optional<FaultPattern> one_number(const ResultElements& elements) {
    const double number = elements.recorded[static_cast<size_t>(elements.furthest)];
    FaultPattern pattern;
    for (size_t i = 0; i < elements.exact.size(); ++i)
        if (elements.recorded[i] == number &&
            std::abs(number - elements.exact[i]) > elements.limit[i])
            pattern.places.push_back(static_cast<int64_t>(i));
    if (pattern.places.size() < kFewest) return std::nullopt;
    pattern.told = fmt::format(
        "{} elements are {:.6g}, whatever they should be", pattern.places.size(), number);
    return pattern;
}

}  // namespace npuscope::diagnose
