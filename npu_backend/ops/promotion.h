// Which dtype an op of several tensors computes in.
#pragma once

#include <span>

#include "npu_backend/ops/lowering.h"

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

/// Both operands in their common dtype.
struct Operands {
    Tensor self;
    Tensor other;
    DType dtype;
};

/// Casts where they differ; `to_float` makes integers float32. A Scalar argument becomes a tensor
/// without dimensions, whose kind alone counts.
[[nodiscard]] Operands common_operands(Lowering& op,
                                       std::string_view left,
                                       std::string_view right,
                                       bool to_float = false);
/// Two tensors. Errors: Error(kUsage) when they differ in shape.
[[nodiscard]] Operands operands_of_one_shape(Lowering& op,
                                             std::string_view left,
                                             std::string_view right);

}  // namespace npuscope::backend
