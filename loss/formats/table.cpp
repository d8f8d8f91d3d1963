// CSV with ',', ';', tabs or blanks, with a line of names or without: then the columns are step and
// loss, or loss alone.
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "loss/formats/format.h"
#include "loss/lines.h"
#include "loss/step_key.h"

namespace npuscope::loss {

namespace {

constexpr size_t kMostColumns = 4096;

// Cells of a line, quotes around them taken off.
void split(std::string_view line, char separator, std::vector<std::string>& cells) {
    cells.clear();
    std::string cell;
    bool quoted = false;
    bool any = false;
    for (size_t i = 0; i < line.size() && cells.size() < kMostColumns; ++i) {
        const char c = line[i];
        if (c == '"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
                cell += '"';
                ++i;
            } else {
                quoted = !quoted;
            }
            any = true;
        } else if (!quoted && (c == separator || (separator == ' ' && c == '\t'))) {
            if (separator != ' ' || any) cells.push_back(cell);
            cell.clear();
            any = false;
        } else if (quoted || c != ' ' || !cell.empty()) {
            cell += c;
            any = true;
        }
    }
    if (separator != ' ' || any) cells.push_back(cell);
    for (std::string& text : cells)
        while (!text.empty() && text.back() == ' ')
            text.pop_back();
}

std::optional<double> number_of(const std::string& cell) {
    double value = 0;
    const char* begin = cell.data() + (cell.starts_with("+") ? 1 : 0);
    const char* end = cell.data() + cell.size();
    const auto parsed = std::from_chars(begin, end, value);
    if (begin == end || parsed.ptr != end || parsed.ec != std::errc()) return std::nullopt;
    return value;
}

struct Columns {
    std::optional<size_t> step;
    std::array<std::optional<size_t>, kQuantities> quantities;
    std::array<std::string, kQuantities> names;
};

// "run 7 - train/loss", as Weights & Biases exports it, is its last part.
std::string_view last_part(std::string_view name) {
    const size_t dash = name.rfind(" - ");
    return dash == std::string_view::npos ? name : name.substr(dash + 3);
}

std::optional<Columns> named_columns(const std::vector<std::string>& cells) {
    Columns columns;
    int best_step = 1000;
    std::array<int, kQuantities> best{};
    best.fill(1000);
    for (size_t i = 0; i < cells.size(); ++i) {
        const std::string_view name = last_part(cells[i]);
        const int step = fit_of_step(name);
        if (step >= 0 && step < best_step) {
            best_step = step;
            columns.step = i;
        }
        for (size_t q = 0; q < kQuantities; ++q) {
            int fit = fit_of(static_cast<Quantity>(q), name);
            // What TensorBoard exports of one curve.
            if (q == 0 && fit < 0 && (name == "Value" || name == "value")) fit = 900;
            if (fit < 0 || fit >= best[q]) continue;
            best[q] = fit;
            columns.quantities[q] = i;
            columns.names[q] = cells[i];
        }
    }
    if (!columns.quantities[0]) return std::nullopt;
    return columns;
}

bool all_numbers(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells)
        if (!number_of(cell)) return false;
    return !cells.empty();
}

std::optional<Columns> nameless_columns(const std::vector<std::string>& cells) {
    if (!all_numbers(cells) || cells.size() > 2) return std::nullopt;
    Columns columns;
    if (cells.size() == 2) columns.step = 0;
    columns.quantities[0] = cells.size() - 1;
    return columns;
}

bool read_table(const LogBytes& bytes, LogBuilder& records, Log& log) {
    MarkedLines lines(bytes.text(), "");
    std::string_view line;
    do {
        if (!lines.next(line)) return false;
    } while (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#');
    std::vector<std::string> cells;
    std::optional<Columns> columns;
    char separator = ',';
    bool has_names = true;
    for (const char candidate : {',', ';', '\t', ' '}) {
        separator = candidate;
        split(line, separator, cells);
        has_names = true;
        if (cells.size() > 1 || candidate == ' ') columns = named_columns(cells);
        if (columns) break;
        has_names = false;
        if (cells.size() > 1 || candidate == ' ') columns = nameless_columns(cells);
        if (columns) break;
    }
    if (!columns) return false;
    const size_t width = cells.size();
    size_t others = 0;
    size_t rows = 0;
    bool at_first = !has_names;
    while (at_first || lines.next(line)) {
        at_first = false;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        split(line, separator, cells);
        Record record;
        bool whole = cells.size() == width;
        if (whole && columns->step) {
            const auto step = number_of(cells[*columns->step]);
            whole = step && *step > -9e15 && *step < 9e15;
            if (whole) record.step = static_cast<int64_t>(*step);
        }
        for (size_t q = 0; whole && q < kQuantities; ++q) {
            if (!columns->quantities[q]) continue;
            if (const auto value = number_of(cells[*columns->quantities[q]]))
                record.set(static_cast<Quantity>(q), *value);
        }
        if (!whole) {
            // Prose whose first line looked like names.
            if (++others > rows + 2) return false;
            continue;
        }
        ++rows;
        records.add(record);
    }
    if (records.size() == 0) return false;
    if (others > 0)
        log.remarks.push_back(fmt::format(
            "{} lines have not the columns of the first (cut off?); passed over", others));
    log.names = columns->names;
    log.loss_name = columns->names[0];
    return true;
}

}  // namespace

const Format k_table_format = {
    "table",
    "CSV files, exports of TensorBoard and Weights & Biases, torchtitan's loss files",
    "a first line of names with a loss among them, or lines of step and loss",
    read_table,
};

}  // namespace npuscope::loss
