// Sequences as images of height 1.
#pragma once

#include "core/tensor/tensor.h"

namespace npuscope::backend {

/// [N, C, L] as [N, C, 1, L].
[[nodiscard]] inline Tensor with_height(const Tensor& tensor) {
    Shape shape = tensor.shape();
    shape.insert(shape.end() - 1, 1);
    return tensor.reshaped(std::move(shape));
}

}  // namespace npuscope::backend
