// IR names of ops that PyTorch spells otherwise.
#pragma once

#include <string>
#include <string_view>

namespace npuscope {

/// "add_Tensor" of "aten::add.Tensor" (a schema), "aten.add.Tensor" (an op as text), "add.Tensor"
/// (its __name__); "relu" of "aten.relu.default". Other names as they are: a module's path has dots
/// too. Table of overloads: core/naming/overloads.def.
[[nodiscard]] std::string ir_name(std::string_view name);

/// "add" of "add_Tensor", "sum" of "sum_dim_IntList", as recorders write that leave overloads out:
/// an IR name without the overload that it ends with. Other names as they are.
[[nodiscard]] std::string_view without_overload(std::string_view ir_name);

}  // namespace npuscope
