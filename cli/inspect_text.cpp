#include "cli/inspect_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/printable.h"

namespace npuscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBarWidth = 50;

}  // namespace

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

void print_table(std::vector<std::vector<std::string>> rows, bool has_head) {
    for (size_t column = has_head ? rows.front().size() : 0; column-- > 0;) {
        const auto filled = [&](const auto& row) { return !row[column].empty(); };
        if (std::any_of(rows.begin() + 1, rows.end(), filled)) continue;
        for (auto& row : rows)
            row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    }
    std::vector<size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            line += printable(row[i]);
            if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        std::printf("%s\n", line.c_str());
    }
}

std::string json_of(const Statistics& found) {
    const auto if_finite = [&](double value) { return found.finite > 0 ? Json(value) : Json(); };
    const Json json = {{"count", found.count},
                       {"finite", found.finite},
                       {"nan", found.nan},
                       {"positive_inf", found.positive_inf},
                       {"negative_inf", found.negative_inf},
                       {"zero", found.zero},
                       {"min", if_finite(found.min)},
                       {"max", if_finite(found.max)},
                       {"mean", if_finite(found.mean)},
                       {"deviation", if_finite(found.deviation)}};
    return json_text(json, -1);
}

std::string json_of(const Statistics& found, const std::vector<int64_t>& bins) {
    const Json json = {{"min", found.finite > 0 ? Json(found.min) : Json()},
                       {"max", found.finite > 0 ? Json(found.max) : Json()},
                       {"counts", bins}};
    return json_text(json, -1);
}

std::vector<std::string> statistics_cells(const Statistics& found) {
    const auto extreme = [&](double value) { return found.finite > 0 ? number(value) : "-"; };
    return {extreme(found.min),
            extreme(found.max),
            extreme(found.mean),
            std::to_string(found.nan),
            std::to_string(found.positive_inf + found.negative_inf),
            std::to_string(found.zero)};
}

void print_values(const Statistics& found, const std::vector<int64_t>& bins) {
    std::printf("  elements %" PRId64 "  nan %" PRId64 "  +inf %" PRId64 "  -inf %" PRId64
                "  zero %" PRId64 "\n",
                found.count,
                found.nan,
                found.positive_inf,
                found.negative_inf,
                found.zero);
    if (found.finite == 0) return;
    std::printf("  min %s  max %s  mean %s  standard deviation %s\n",
                number(found.min).c_str(),
                number(found.max).c_str(),
                number(found.mean).c_str(),
                number(found.deviation).c_str());
    const int64_t most = *std::max_element(bins.begin(), bins.end());
    for (int i = 0; i < kHistogramBins; ++i) {
        const int64_t count = bins[static_cast<size_t>(i)];
        const double share = static_cast<double>(i) / kHistogramBins;
        const double start = found.min * (1 - share) + found.max * share;
        // A bin that is not empty shows at least one mark.
        const auto marks = static_cast<size_t>((count * kBarWidth + most - 1) / most);
        std::printf("  %12s %10" PRId64 " %s\n",
                    number(start).c_str(),
                    count,
                    std::string(marks, '#').c_str());
    }
}

}  // namespace npuscope::cli
