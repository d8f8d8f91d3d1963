#include "ir_tbe_map/statistics_csv.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/tensor/statistics.h"

namespace npuscope::ir_tbe_map {

namespace {

std::string cell(const Statistics& s, const std::string& name, bool known) {
    if (!known) return {};
    if (name == "Max") return fmt::format("{:.6g}", s.max_of_numbers());
    if (name == "Min") return fmt::format("{:.6g}", s.min_of_numbers());
    if (name == "Avg") return fmt::format("{:.6g}", s.mean_of_numbers());
    if (name == "Count") return std::to_string(s.count);
    if (name == "Nan Count") return std::to_string(s.nan);
    if (name == "Negative Inf Count") return std::to_string(s.negative_inf);
    if (name == "Positive Inf Count") return std::to_string(s.positive_inf);
    return fmt::format("{:.6g}", s.norm());  // L2norm
}

/// Names of dump_stats are not those of the columns.
std::vector<std::string> columns_of(const std::vector<std::string>& chosen) {
    if (chosen.empty())
        return {"Max Value",
                "Min Value",
                "Avg Value",
                "Count",
                "Nan Count",
                "Negative Inf Count",
                "Positive Inf Count"};
    std::vector<std::string> columns;
    for (const auto& [name, column] : {std::pair{"Max", "Max Value"},
                                       std::pair{"Min", "Min Value"},
                                       std::pair{"Avg", "Avg Value"},
                                       std::pair{"", "Count"},
                                       std::pair{"Nan", "Nan Count"},
                                       std::pair{"Negative Inf", "Negative Inf Count"},
                                       std::pair{"Positive Inf", "Positive Inf Count"},
                                       std::pair{"L2norm", "L2norm Value"}})
        if (*name == '\0' || std::ranges::find(chosen, name) != chosen.end())
            columns.emplace_back(column);
    return columns;
}

}  // namespace

std::string statistics_csv(std::span<const StatisticsRow> rows,
                           const std::vector<std::string>& chosen) {
    const std::vector<std::string> columns = columns_of(chosen);
    std::string text = "Input/Output,Index,Data Size,Data Type,Format,Shape";
    for (const std::string& column : columns)
        text += "," + column;
    text += "\n";
    for (const StatisticsRow& row : rows) {
        const StoredTensor& tensor = row.tensor;
        const int64_t stored = numel_of(tensor.shape);
        const DType dtype = tensor.plain.dtype();
        text += fmt::format("{},{},{},{},{},{}",
                            row.input ? "Input" : "Output",
                            row.index,
                            stored * static_cast<int64_t>(size_of(dtype)),
                            name_of(dtype),
                            layout::name_of(tensor.format),
                            fmt::join(tensor.shape, "x"));
        const Statistics statistics = statistics_of(tensor.plain);
        for (std::string column : columns) {
            if (column.ends_with(" Value")) column.resize(column.size() - 6);
            const bool known = dtype != DType::kBFloat16 || column == "Count";
            text += "," + cell(statistics, column, known);
        }
        text += "\n";
    }
    return text;
}

}  // namespace npuscope::ir_tbe_map
