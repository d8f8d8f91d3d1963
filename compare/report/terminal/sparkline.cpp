#include "compare/report/terminal/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "compare/report/terminal/layout.h"

namespace npuscope::compare {

namespace {

constexpr std::array<std::string_view, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// Six heights within what is allowed, two beyond it.
size_t height_of(double ratio) {
    if (!(ratio <= 1)) return ratio < 10 ? 6 : 7;
    if (ratio < 1e-3) return 0;
    return std::min<size_t>(5, static_cast<size_t>((std::log10(ratio) + 3) / 3 * 5) + 1);
}

}  // namespace

std::string sparkline(const std::vector<std::optional<double>>& ratios,
                      size_t columns,
                      bool color) {
    std::string line;
    bool is_red = false;
    const auto paint = [&](bool red) {
        if (color && red != is_red) line += red ? kRed : "\x1b[0m";
        is_red = red;
    };
    columns = std::min(columns, ratios.size());
    for (size_t column = 0; column < columns; ++column) {
        const size_t first = column * ratios.size() / columns;
        const size_t last = (column + 1) * ratios.size() / columns;
        double worst = -1;
        for (size_t i = first; i < last; ++i)
            if (ratios[i]) {
                double ratio = std::numeric_limits<double>::infinity();
                if (!std::isnan(*ratios[i])) ratio = *ratios[i];
                worst = std::max(worst, ratio);
            }
        paint(worst > 1);
        line += worst < 0 ? " " : kHeights[height_of(worst)];
    }
    paint(false);
    return line;
}

}  // namespace npuscope::compare
