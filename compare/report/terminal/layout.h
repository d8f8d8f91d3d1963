// Text in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "compare/report/report.h"

namespace npuscope::compare {

inline constexpr size_t kTerminalColumns = 80;

inline constexpr const char* kRed = "\x1b[31m";
inline constexpr const char* kYellow = "\x1b[33m";
inline constexpr const char* kGreen = "\x1b[32m";
inline constexpr const char* kBold = "\x1b[1m";

/// Red for findings, green for a pass, yellow for what is neither.
[[nodiscard]] const char* color_of(Verdict verdict);
[[nodiscard]] std::string in_color(const ReportOptions& options,
                                   const char* color,
                                   const std::string& text);

/// Columns that a text takes: its code points, but for those of colours.
[[nodiscard]] size_t width_of(const std::string& text);
[[nodiscard]] std::string padded(const std::string& text, size_t width);
/// At most `width` columns, the last an ellipsis where the text has more. Text without colours.
[[nodiscard]] std::string shortened(const std::string& text, size_t width);

/// Words on lines of at most kTerminalColumns, each line ended; the first is indented by `indent`,
/// the others by `continued`. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(const std::string& text, size_t indent, size_t continued);

}  // namespace npuscope::compare
