#include "loss/report/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/base/markup.h"

namespace npuscope::loss {

namespace {

constexpr double kWidth = 900;
constexpr double kLeft = 80;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kHigh = 290;  // of the losses
constexpr double kGap = 50;
constexpr double kLow = 120;  // of the differences
constexpr const char* kGoldenInk = "#0b7285";
constexpr const char* kTargetInk = "#c92a2a";
constexpr const char* kLimitInk = "#868e96";

// A panel's scales; values outside are left out.
struct Panel {
    double first, last, low, high, top, height;

    [[nodiscard]] double x(double step) const {
        return kLeft +
               (last > first ? (step - first) / (last - first) : 0) * (kWidth - kLeft - kRight);
    }
    [[nodiscard]] double y(double value) const {
        return top + (high - value) / (high - low) * height;
    }
};

void widen(Panel& panel) {
    if (panel.high > panel.low) return;
    if (panel.low > panel.high) panel.low = panel.high = 0;
    panel.low -= 0.5;
    panel.high += 0.5;
}

void add(Panel& panel, const std::vector<double>& values) {
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        panel.low = std::min(panel.low, value);
        panel.high = std::max(panel.high, value);
    }
}

// Of each column of dots the lowest and the highest value; a gap where a value is not finite.
std::string path(const Panel& panel,
                 const std::vector<int64_t>& steps,
                 const std::vector<double>& values,
                 const char* ink) {
    std::string points;
    bool pen = false;
    for (size_t i = 0; i < steps.size();) {
        const double x = std::round(panel.x(static_cast<double>(steps[i])));
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        bool finite = true;
        for (; i < steps.size() && std::round(panel.x(static_cast<double>(steps[i]))) == x; ++i) {
            finite = finite && std::isfinite(values[i]);
            if (!std::isfinite(values[i])) continue;
            low = std::min(low, values[i]);
            high = std::max(high, values[i]);
        }
        if (low <= high) {
            points += fmt::format("{}{:.0f} {:.1f}", pen ? "L" : "M", x, panel.y(high));
            if (high > low) points += fmt::format("L{:.0f} {:.1f}", x, panel.y(low));
        }
        pen = finite && low <= high;
    }
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\"/>\n", points, ink);
}

std::string frame(const Panel& panel, const char* title, bool logarithm) {
    std::string text = fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#ced4da\"/>\n"
        "<text x=\"{}\" y=\"{}\">{}</text>\n",
        kLeft,
        panel.top,
        kWidth - kLeft - kRight,
        panel.height,
        kLeft,
        panel.top - 8,
        title);
    for (const double value : {panel.low, panel.high})
        text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n",
                            kLeft - 6,
                            panel.y(value) + 4,
                            logarithm ? std::pow(10.0, value) : value);
    return text;
}

std::vector<double> logarithms(const std::vector<double>& values) {
    std::vector<double> result;
    for (const double value : values)
        result.push_back(value > 0 && std::isfinite(value) ? std::log10(value) : std::nan(""));
    return result;
}

}  // namespace

std::string to_svg(const Comparison& comparison, size_t target) {
    const Judged& one = comparison.targets[target];
    const Curve& a = comparison.golden.of(Quantity::kLoss);
    const Curve& b = one.log.of(Quantity::kLoss);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Panel high{static_cast<double>(std::min(a.steps.front(), b.steps.front())),
               static_cast<double>(std::max(a.steps.back(), b.steps.back())),
               kInfinity,
               -kInfinity,
               kTop,
               kHigh};
    Panel low = high;
    low.top = kTop + kHigh + kGap;
    low.height = kLow;
    add(high, a.values);
    add(high, b.values);
    widen(high);
    const Verdict& verdict = one.verdict;
    std::vector<double> differences;
    for (const int64_t step : verdict.steps)
        differences.push_back(std::abs(*b.at(step) - *a.at(step)));
    differences = logarithms(differences);
    const std::vector<double> limits = logarithms(verdict.limits);
    add(low, differences);
    add(low, limits);
    widen(low);
    const double bottom = low.top + low.height;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n"
        "<text x=\"{2}\" y=\"16\" font-weight=\"bold\">{3}</text>\n",
        kWidth,
        bottom + 40,
        kLeft,
        html_text(verdict.headline));
    svg += frame(high, "loss: golden (blue), target (red)", false);
    svg += path(high, a.steps, a.values, kGoldenInk) + path(high, b.steps, b.values, kTargetInk);
    svg += frame(low, "size of the difference (red), limit of like runs (grey)", true);
    svg += path(low, verdict.steps, limits, kLimitInk) +
           path(low, verdict.steps, differences, kTargetInk);
    if (verdict.is_finding)
        svg += fmt::format(
            "<line x1=\"{0:.0f}\" x2=\"{0:.0f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#212529\" "
            "stroke-dasharray=\"4 3\"/>\n<text x=\"{0:.0f}\" y=\"{3}\" text-anchor=\"middle\">step "
            "{4}</text>\n",
            high.x(static_cast<double>(verdict.step)),
            kTop,
            bottom,
            bottom + 16,
            verdict.step);
    return svg + fmt::format(
                     "<text x=\"{}\" y=\"{}\">{}</text>\n<text x=\"{}\" y=\"{}\" "
                     "text-anchor=\"end\">{}</text>\n</svg>\n",
                     kLeft,
                     bottom + 30,
                     high.first,
                     kWidth - kRight,
                     bottom + 30,
                     high.last);
}

}  // namespace npuscope::loss
