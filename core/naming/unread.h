// Arguments whose elements an op does not read.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the argument is memory that the op only writes into, gives its shape alone, or holds
/// what no definition tells: its elements are chance. Tables: core/naming/unread.def,
/// core/naming/unspecified.def.
[[nodiscard]] bool is_unread(std::string_view op, std::string_view argument);

}  // namespace npuscope
