// Finds how the elements of an input lie in the tensor that it is a view of.
#pragma once

#include <optional>

#include "compare/relate/view.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// The view of `source` that `input` is; a sure one, held by every element, or none. Where elements
/// come several times it is one of those that fit. Complexity: two passes over `source`, one over
/// `input`. Memory: both as float64.
[[nodiscard]] std::optional<View> find_view(const Tensor& input, const Tensor& source);

}  // namespace npuscope::compare
