// Text on lines as wide as a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace npuscope {

inline constexpr size_t kTerminalColumns = 80;

/// Columns that a text takes: its code points, but for those of colours.
[[nodiscard]] size_t width_of(const std::string& text);

/// Words on lines of at most kTerminalColumns, each line ended; the first is indented by `indent`,
/// the others by `continued`. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(const std::string& text, size_t indent, size_t continued);

}  // namespace npuscope
