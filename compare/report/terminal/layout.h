// Text in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "compare/report/report.h"
#include "core/base/wrapped.h"

namespace npuscope::compare {

inline constexpr const char* kRed = "\x1b[31m";
inline constexpr const char* kYellow = "\x1b[33m";
inline constexpr const char* kGreen = "\x1b[32m";
inline constexpr const char* kBold = "\x1b[1m";

/// Red for findings, green for a pass, yellow for what is neither.
[[nodiscard]] const char* color_of(Verdict verdict);
[[nodiscard]] std::string in_color(const ReportOptions& options,
                                   const char* color,
                                   const std::string& text);

[[nodiscard]] std::string padded(const std::string& text, size_t width);
/// At most `width` columns, the last an ellipsis where the text has more. Text without colours.
[[nodiscard]] std::string shortened(const std::string& text, size_t width);

}  // namespace npuscope::compare
