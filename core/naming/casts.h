// Ops that only copy.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the op only copies, to another dtype perhaps, or makes room for that, or shows a tensor
/// in another shape: recorders of one framework see such ops, those of another do not. `op` is an
/// IR name. Table: core/naming/casts.def.
[[nodiscard]] bool is_cast(std::string_view op);

/// Whether such an op gives out what it was given, rounded perhaps.
[[nodiscard]] bool is_copy(std::string_view op);

}  // namespace npuscope
