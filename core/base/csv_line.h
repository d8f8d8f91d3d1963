// CSV as Python's csv module writes it in its default dialect, and the rule that keeps spreadsheets
// from running a cell as a formula.
// Source: documentation of the Python module csv, dialect "excel", QUOTE_MINIMAL.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace npuscope {

/// The cells joined by ",", quoted where needed, with CRLF at the end. Cells are made safe first.
[[nodiscard]] std::string csv_line(std::span<const std::string> cells);

/// A text that is no number and that a spreadsheet would take for a formula gets a leading "'".
[[nodiscard]] std::string csv_safe(std::string_view cell);

}  // namespace npuscope
