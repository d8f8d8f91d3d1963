// Tensors of an op that hold what its definition does not tell.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether two right runs of the op may hold anything there, such as memory that nothing was
/// written into. `op` is an IR name, `argument` the tensor's name in its schema. Table:
/// core/naming/unspecified.def.
[[nodiscard]] bool is_unspecified(std::string_view op, std::string_view argument, bool is_output);

}  // namespace npuscope
