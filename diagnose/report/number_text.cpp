#include "diagnose/report/number_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace npuscope::diagnose {

std::string percent_text(std::optional<double> value) {
    if (!value) return "-";
    if (std::isnan(*value)) return "nan";
    if (std::isinf(*value)) return "inf";
    const double percent = *value * 100;
    if (percent == 0) return "0";
    if (std::abs(percent) >= 1e-4 && std::abs(percent) < 1e5)
        return fmt::format("{:.2g} %", percent);
    return fmt::format("{:.1e} %", percent);
}

std::string limit_text(std::optional<double> ratio) {
    if (!ratio) return "-";
    return *ratio < 0.01 && *ratio > 0 ? "<0.01" : fmt::format("{:.2g}", *ratio);
}

std::string short_text(double value) {
    if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
    const double magnitude = std::abs(value);
    return magnitude < 1e-3 || magnitude >= 1e5 ? fmt::format("{:.2e}", value)
                                                : fmt::format("{:.3g}", value);
}

std::string in_capitals(std::string_view word) {
    std::string capitals(word);
    std::ranges::transform(
        capitals, capitals.begin(), [](unsigned char c) { return std::toupper(c); });
    return capitals;
}

}  // namespace npuscope::diagnose
