// Arguments whose elements an op does not read.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the argument is memory that the op only writes into, or holds what no definition tells:
/// what it held before is chance. Tables: core/naming/overwritten.def, core/naming/unspecified.def.
[[nodiscard]] bool is_overwritten(std::string_view op, std::string_view argument);

}  // namespace npuscope
