#include "diagnose/check/chart.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "diagnose/report/html_text.h"
#include "diagnose/report/number_text.h"

namespace npuscope::diagnose {

namespace {

constexpr double kWidth = 1100;
constexpr double kHeight = 200;
constexpr double kLeft = 46;
constexpr double kTop = 22;
constexpr double kBottom = 174;
constexpr double kMarkY = 5;  // of the marks' upper edge
constexpr int kFirstPower = -6;
constexpr int kLastPower = 2;

double y_of(double ratio) {
    constexpr double kDecades = kLastPower - kFirstPower;
    const double decade = std::clamp(std::log10(ratio) - kFirstPower, 0.0, kDecades);
    return kBottom - (kBottom - kTop) * decade / kDecades;
}

std::string grid() {
    std::string svg;
    for (int power = kFirstPower; power <= kLastPower; power += 2) {
        const double y = y_of(std::pow(10.0, power));
        svg += fmt::format(
            "<line{} x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" {}/><text x=\"4\" "
            "y=\"{:.1f}\">{}</text>",
            power == 0 ? " id=\"limit\"" : "",
            kLeft,
            kWidth - 8,
            y,
            y,
            power == 0 ? "stroke=\"var(--bad)\" stroke-dasharray=\"5 4\""
                       : "stroke=\"var(--line)\"",
            y + 4,
            power == 0 ? "limit" : fmt::format("1e{}", power));
    }
    return svg;
}

std::string title_of(const OpFinding& op, bool overflowed) {
    return fmt::format("<title>{} {}: off by {}, {} of its limit{}</title>",
                       escaped(op.id.path()),
                       escaped(op.node),
                       percent_text(op.introduced),
                       limit_text(op.ratio),
                       overflowed ? ", overflowed" : "");
}

/// The bar and the mark of one op, between `x` and `x + width`.
std::string bar(const OpFinding& op, double x, double width) {
    const bool overflowed = op.overflow == OverflowRole::kIntroduced;
    const std::optional<double> ratio = op.ratio;
    std::string svg;
    if (ratio) {
        const double y = std::min(y_of(*ratio), kBottom - 1);
        svg += fmt::format(
            "<rect data-path=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
            "fill=\"{}\">{}</rect>",
            escaped(op.id.path()),
            x,
            y,
            width,
            kBottom - y,
            overflowed || *ratio > 1 ? "var(--bad)" : "var(--bar)",
            title_of(op, overflowed));
    }
    if (overflowed) {
        const double middle = x + width / 2;
        svg += fmt::format(
            "<path class=\"mark\" data-path=\"{}\" d=\"M{:.2f} {} h10 l-5 9 z\" "
            "fill=\"var(--bad)\">{}</path>",
            escaped(op.id.path()),
            middle - 5,
            kMarkY,
            title_of(op, true));
    }
    return svg;
}

}  // namespace

std::string chart(const CheckReport& report) {
    std::string svg = fmt::format(
        "<div class=\"chart\"><svg id=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"introduced error of each op over what its arithmetic may be off\">",
        kWidth,
        kHeight);
    svg += grid();
    const double step =
        (kWidth - kLeft - 12) / static_cast<double>(std::max<size_t>(report.ops.size(), 1));
    bool any_overflow = false;
    for (size_t i = 0; i < report.ops.size(); ++i) {
        svg += bar(
            report.ops[i], kLeft + 2 + step * static_cast<double>(i), std::max(step * 0.78, 1.0));
        any_overflow = any_overflow || report.ops[i].overflow == OverflowRole::kIntroduced;
    }
    svg += fmt::format("<text x=\"{}\" y=\"{}\">ops in the order they ran{}</text>",
                       kLeft,
                       kHeight - 8,
                       any_overflow ? "; &#9660; overflowed" : "");
    return svg + "</svg></div>\n";
}

}  // namespace npuscope::diagnose
