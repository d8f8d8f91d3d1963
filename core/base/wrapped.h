// Text on lines as wide as a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/columns.h"

namespace npuscope {

inline constexpr size_t kTerminalColumns = 80;

/// Words on lines of at most kTerminalColumns, each line ended; the first is indented by `indent`,
/// the others by `continued`. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(const std::string& text, size_t indent, size_t continued);

}  // namespace npuscope
