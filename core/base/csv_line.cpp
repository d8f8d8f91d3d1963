#include "core/base/csv_line.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace npuscope {

namespace {

/// Characters that start a formula, the full-width ones included.
constexpr std::array<std::string_view, 8> kFormulaStarts = {
    "+", "-", "=", "%", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D"};

/// Tabs and ends of lines before it are passed over, as spreadsheets do.
bool starts_formula(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of("\t\r\n"), text.size()));
    for (const std::string_view start : kFormulaStarts)
        if (text.starts_with(start)) return true;
    return false;
}

/// "1.5", "-1e3", "nan", "-inf" and the like, as Python's float() takes them.
bool is_number(std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    std::string lower(text);
    for (char& c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == "nan" || lower == "inf" || lower == "infinity") return true;
    size_t i = 0;
    size_t digits = 0;
    const auto run = [&] {
        for (; i < lower.size() && std::isdigit(static_cast<unsigned char>(lower[i])) != 0; ++i)
            ++digits;
    };
    run();
    if (i < lower.size() && lower[i] == '.') {
        ++i;
        run();
    }
    if (digits == 0) return false;
    if (i < lower.size() && lower[i] == 'e') {
        ++i;
        if (i < lower.size() && (lower[i] == '-' || lower[i] == '+')) ++i;
        digits = 0;
        run();
        if (digits == 0) return false;
    }
    return i == lower.size();
}

}  // namespace

std::string csv_safe(std::string_view cell) {
    bool formula = starts_formula(cell);
    for (size_t at = cell.find(';'); at != std::string_view::npos && !formula;
         at = cell.find(';', at + 1))
        formula = starts_formula(cell.substr(at + 1));
    if (!formula || is_number(cell)) return std::string(cell);
    return "'" + std::string(cell);
}

std::string csv_line(std::span<const std::string> cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = csv_safe(cells[i]);
        if (i > 0) line += ',';
        const bool quoted = cell.find_first_of(",\"\r\n") != std::string::npos ||
                            (cell.empty() && cells.size() == 1);
        if (!quoted) {
            line += cell;
            continue;
        }
        line += '"';
        for (const char c : cell)
            line += c == '"' ? "\"\"" : std::string(1, c);
        line += '"';
    }
    return line + "\r\n";
}

}  // namespace npuscope
