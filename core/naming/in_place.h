// Ops that calculate in place.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether the op writes into its `self`, and leaves no number there as it is, but by a 0 or a 1:
/// "add__Tensor" (add_), "_foreach_mul_.Scalar" into all of a list; not "relu_". Table:
/// core/naming/in_place.def.
[[nodiscard]] bool calculates_in_place(std::string_view op);

/// Whether the op's input and output of these names are one tensor, which it writes over. They have
/// one name then, or the output is the "result" of an op in place. A place is none ("0" of
/// msprobe's records): of functions whose tensors have no other names only those in place write,
/// into their first ("Tensor.add_.0.forward", "Tensor.__iadd__.0.forward").
[[nodiscard]] bool writes_over(std::string_view op,
                               std::string_view input,
                               std::string_view output);

}  // namespace npuscope
