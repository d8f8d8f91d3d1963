// IR names of ops that PyTorch spells otherwise.
#pragma once

#include <string>
#include <string_view>

namespace npuscope {

/// "add_Tensor" of "aten::add.Tensor" (a schema), "aten.add.Tensor" (an op as text), "add.Tensor"
/// (its __name__); "relu" of "aten.relu.default". Other names as they are: a module's path has dots
/// too. Table of overloads: core/naming/overloads.def.
[[nodiscard]] std::string ir_name(std::string_view name);

}  // namespace npuscope
