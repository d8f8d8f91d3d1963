#include "loss/report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace npuscope::loss {

namespace {

constexpr size_t kColumns = 66;  // beside 13 for the scale
constexpr size_t kRows = 12;
constexpr size_t kLowRows = 5;

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] bool empty() const { return low > high; }
    void widen() {
        if (high > low) return;
        low -= 0.5;
        high += 0.5;
    }
};

// Cells of 2 by 4 dots, U+2800 on. A cell takes the colour of the last curve that drew in it.
class Canvas {
  public:
    explicit Canvas(size_t rows) : rows_(rows), dots_(rows * kColumns), ink_(rows * kColumns) {}

    void dot(double x, double y, uint8_t ink) {
        const auto column = static_cast<size_t>(std::lround(x * (kColumns * 2 - 1)));
        const auto row =
            static_cast<size_t>(std::lround((1 - y) * static_cast<double>(rows_ * 4 - 1)));
        constexpr std::array<std::array<uint8_t, 4>, 2> kBits = {
            {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
        const size_t cell = row / 4 * kColumns + column / 2;
        dots_[cell] |= kBits[column % 2][row % 4];
        ink_[cell] = ink;
    }

    [[nodiscard]] std::string row(size_t r, bool color) const {
        std::string text;
        for (size_t c = 0; c < kColumns; ++c) {
            const size_t cell = r * kColumns + c;
            if (dots_[cell] == 0) {
                text += ' ';
                continue;
            }
            if (color) text += ink_[cell] == 1 ? "\x1b[36m" : "\x1b[31m";
            const unsigned code = 0x2800U + dots_[cell];
            text += static_cast<char>(0xE0 | code >> 12);
            text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
            text += static_cast<char>(0x80 | (code & 0x3F));
            if (color) text += "\x1b[0m";
        }
        while (!text.empty() && text.back() == ' ')
            text.pop_back();
        return text;
    }

  private:
    size_t rows_;
    std::vector<uint8_t> dots_;
    std::vector<uint8_t> ink_;
};

struct Steps {
    double first = 0;
    double last = 0;
};

void draw(Canvas& canvas,
          const std::vector<int64_t>& steps,
          const std::vector<double>& values,
          const Steps& shown,
          const Range& range,
          uint8_t ink) {
    const auto [first, last] = shown;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        const double x =
            last > first ? (static_cast<double>(steps[i]) - first) / (last - first) : 0;
        const double y = (values[i] - range.low) / (range.high - range.low);
        if (x < 0 || x > 1 || y < 0 || y > 1) continue;
        canvas.dot(x, y, ink);
    }
}

std::string panel(
    const Canvas& canvas, size_t rows, const Range& range, bool logarithm, bool color) {
    std::string text;
    const auto label = [&](double value) {
        return fmt::format("{:>10.4g} │", logarithm ? std::pow(10.0, value) : value);
    };
    for (size_t r = 0; r < rows; ++r) {
        const std::string scale = r == 0          ? label(range.high)
                                  : r + 1 == rows ? label(range.low)
                                                  : std::string(10, ' ') + " │";
        text += scale + canvas.row(r, color) + "\n";
    }
    return text;
}

}  // namespace

std::string terminal_plot(const Log& golden, const Judged& target, bool color) {
    const Curve& a = golden.of(Quantity::kLoss);
    const Curve& b = target.log.of(Quantity::kLoss);
    const Steps shown{static_cast<double>(std::min(a.steps.front(), b.steps.front())),
                      static_cast<double>(std::max(a.steps.back(), b.steps.back()))};
    Range range;
    for (const double value : a.values)
        range.add(value);
    for (const double value : b.values)
        range.add(value);
    if (range.empty()) return "";
    range.widen();
    Canvas losses(kRows);
    draw(losses, a.steps, a.values, shown, range, 1);
    draw(losses, b.steps, b.values, shown, range, 2);
    std::string text =
        color ? "loss: \x1b[36mgolden\x1b[0m, \x1b[31mtarget\x1b[0m\n" : "loss of both\n";
    text += panel(losses, kRows, range, false, color);

    const Verdict& verdict = target.verdict;
    std::vector<double> differences;
    std::vector<double> limits;
    Range sizes;
    for (size_t i = 0; i < verdict.steps.size(); ++i) {
        const double* left = a.at(verdict.steps[i]);
        const double* right = b.at(verdict.steps[i]);
        const double size = std::abs(*right - *left);
        differences.push_back(size > 0 ? std::log10(size) : std::nan(""));
        limits.push_back(verdict.limits[i] > 0 ? std::log10(verdict.limits[i]) : std::nan(""));
        sizes.add(differences.back());
        sizes.add(limits.back());
    }
    const std::string axis =
        fmt::format("{:>12}{:<33.0f}{:>33.0f}\n", "step ", shown.first, shown.last);
    if (sizes.empty()) return text + axis;
    sizes.widen();
    Canvas low(kLowRows);
    draw(low, verdict.steps, limits, shown, sizes, 1);
    draw(low, verdict.steps, differences, shown, sizes, 2);
    text +=
        color ? "size of the \x1b[31mdifference\x1b[0m, and the \x1b[36mlimit\x1b[0m of like runs\n"
              : "size of the difference, and the limit of like runs\n";
    return text + panel(low, kLowRows, sizes, true, color) + axis;
}

}  // namespace npuscope::loss
