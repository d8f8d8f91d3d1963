// Tensors that others were padded from.
#pragma once

#include <optional>

#include "core/tensor/tensor.h"

namespace npuscope {

/// The first elements of each dimension, as many as `shape` has, where everything behind them is 0
/// (or, along a dimension that is 1 long in `shape`, what stands in its first place): what `padded`
/// was padded, or expanded, from. Empty where it holds more, where `shape` has another number of
/// dimensions, is larger in one of them, or the same.
[[nodiscard]] std::optional<Tensor> without_padding(const Tensor& padded, const Shape& shape);

/// Whether the shapes are those of such tensors.
[[nodiscard]] bool may_be_padded(const Shape& padded, const Shape& shape);

}  // namespace npuscope
