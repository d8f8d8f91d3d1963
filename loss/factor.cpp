#include "loss/factor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace npuscope::loss {

namespace {

/// What rounding of the numbers themselves leaves, relative.
constexpr double kRounding = 1e-5;
/// Wider around a whole number, any ratio would be near to one.
constexpr double kMostRoom = 0.02;

}  // namespace

std::optional<std::string> factor_words(double target, double golden, double unit) {
    const double least = std::min(std::abs(target), std::abs(golden));
    const double ratio = std::max(std::abs(target), std::abs(golden)) / least;
    if (!std::isfinite(ratio) || (target < 0) != (golden < 0)) return std::nullopt;
    const double whole = std::round(ratio);
    const double room = ratio * (kRounding + unit / least);
    if (whole < 2 || room > kMostRoom || std::abs(ratio - whole) > room) return std::nullopt;
    return std::abs(target) > std::abs(golden) ? fmt::format("{:.0f} times the golden's", whole)
                                               : fmt::format("1/{:.0f} of the golden's", whole);
}

}  // namespace npuscope::loss
