// Inputs of which one side recorded fewer elements than the op reads: it expands them itself.
#pragma once

#include <optional>

#include "core/tensor/element_source.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// The tensor's elements in that shape, repeated along axes of one element and along axes that it
/// lacks in front; empty where the shape is no such one. Memory: the larger shape.
[[nodiscard]] std::optional<Tensor> expanded_to(const Shape& shape, const ElementSource& elements);

}  // namespace npuscope::compare
