// Ops that calculate in place.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the op writes into its `self`, and leaves no number there as it is, but by a 0 or a 1:
/// "add__Tensor" (add_), not "relu_". `op` is an IR name. Table: core/naming/in_place.def.
[[nodiscard]] bool calculates_in_place(std::string_view op);

}  // namespace npuscope
