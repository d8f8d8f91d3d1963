// Ops that fill tensors up, or take that off again.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the op puts zeros behind what it is given, takes elements off its end, or copies it:
/// what stands between a program and a kernel that asks for widths of its own. Table:
/// core/naming/padding_ops.def.
[[nodiscard]] bool may_pad(std::string_view op);

}  // namespace npuscope
