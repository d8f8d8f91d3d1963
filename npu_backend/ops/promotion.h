// Which dtype an op of several tensors computes in.
#pragma once

#include <span>

#include "core/tensor/tensor.h"

namespace npuscope::backend {

/// The smallest dtype that holds both kinds. float16 with bfloat16 gives float32.
[[nodiscard]] DType promoted(DType a, DType b);

/// PyTorch's rule: a tensor without dimensions counts only when its kind (bool, integer, float) is
/// higher than that of the tensors with dimensions. Source: PyTorch, tensor attributes page.
[[nodiscard]] DType result_type(std::span<const Tensor> tensors);

/// float32 for integers and bool, as PyTorch's floating functions give.
[[nodiscard]] inline DType float_type(DType dtype) {
    return is_float(dtype) ? dtype : DType::kFloat32;
}

}  // namespace npuscope::backend
