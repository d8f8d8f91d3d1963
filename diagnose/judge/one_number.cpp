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
    bool differ = false;
    for (size_t i = 0; i < elements.exact.size(); ++i) {
        if (elements.recorded[i] != number ||
            std::abs(number - elements.exact[i]) <= elements.limit[i])
            continue;
        pattern.places.push_back(static_cast<int64_t>(i));
        const auto first = static_cast<size_t>(pattern.places.front());
        differ = differ || std::abs(elements.exact[i] - elements.exact[first]) > elements.limit[i];
    }
    // Of equal inputs one number is what there should be, if not this one.
    if (pattern.places.size() < kFewest || !differ) return std::nullopt;
    pattern.told = fmt::format(
        "{} elements are {:.6g}, whatever they should be", pattern.places.size(), number);
    return pattern;
}

}  // namespace npuscope::diagnose
