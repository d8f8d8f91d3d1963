#include "loss/pairing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::loss {

namespace {

constexpr size_t kMostLooked = 4096;

size_t first_logged(const Curve& curve) {
    size_t first = 0;
    while (first < curve.size() && !std::isfinite(curve.values[first]))
        ++first;
    return first == curve.size() ? 0 : first;
}

std::string range_of(const Curve& curve) {
    if (curve.empty()) return "none";
    return fmt::format("{} to {}", curve.steps.front(), curve.steps.back());
}

}  // namespace

PrintedDigits::PrintedDigits(const std::vector<double>& values) {
    // Evenly taken, so that a long curve costs no more.
    const size_t stride = std::max<size_t>(1, values.size() / kMostLooked);
    for (size_t i = 0; i < values.size(); i += stride) {
        if (!std::isfinite(values[i]) || values[i] == 0) continue;
        std::array<char, 64> text{};
        const auto written = std::to_chars(
            text.data(), text.data() + text.size(), values[i], std::chars_format::scientific);
        const std::string_view number(text.data(), static_cast<size_t>(written.ptr - text.data()));
        const size_t e = number.find('e');
        const size_t point = number.find('.');
        const int digits = point == std::string_view::npos ? 1 : static_cast<int>(e - point);
        int exponent = 0;
        const char* from = number.data() + e + (number[e + 1] == '+' ? 2 : 1);
        std::from_chars(from, number.data() + number.size(), exponent);
        significant_ = std::max(significant_, digits);
        decimals_ = std::max(decimals_, digits - 1 - exponent);
    }
}

double PrintedDigits::unit(double value) const {
    const double by_decimals = std::pow(10.0, -decimals_);
    if (value == 0 || !std::isfinite(value)) return by_decimals;
    return std::max(by_decimals,
                    std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - significant_));
}

Pairing pair(const Log& golden, const Log& target, Quantity quantity) {
    const Curve& a = golden.of(quantity);
    const Curve& b = target.of(quantity);
    const PrintedDigits digits_a(a.values);
    const PrintedDigits digits_b(b.values);
    Pairing paired;
    size_t i = first_logged(a);
    size_t j = first_logged(b);
    if (i > 0)
        paired.remarks.push_back(fmt::format("{}: no numbers before step {}; judged from there",
                                             in_quotes(golden.path),
                                             a.steps[i]));
    if (j > 0)
        paired.remarks.push_back(fmt::format("{}: no numbers before step {}; judged from there",
                                             in_quotes(target.path),
                                             b.steps[j]));
    while (i < a.size() && j < b.size()) {
        if (a.steps[i] < b.steps[j]) {
            ++i;
        } else if (b.steps[j] < a.steps[i]) {
            ++j;
        } else {
            paired.steps.push_back(a.steps[i]);
            paired.golden.push_back(a.values[i]);
            paired.target.push_back(b.values[j]);
            paired.unit.push_back(std::max(digits_a.unit(a.values[i]), digits_b.unit(b.values[j])));
            ++i;
            ++j;
        }
    }
    if (paired.size() == 0)
        throw Error(ErrorKind::kUsage,
                    fmt::format("{} and {} have no step in common (steps {} and {})",
                                in_quotes(golden.path),
                                in_quotes(target.path),
                                range_of(a),
                                range_of(b)));
    return paired;
}

}  // namespace npuscope::loss
