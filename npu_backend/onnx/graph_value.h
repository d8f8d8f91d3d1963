// What a value of an ONNX graph can be while the graph runs: a tensor, a sequence or an optional.
#pragma once

#include <variant>

#include "core/ir/value.h"
#include "core/tensor/tensor.h"

namespace npuscope::onnx_model {

/// An optional without content. One with content is its content: no operator tells them apart.
struct Absent {};

/// monostate: not computed yet, or freed after its last use. A TensorList is a sequence.
using GraphValue = std::variant<std::monostate, Tensor, TensorList, Absent>;

/// Known values follow from the model alone: shapes, integer arithmetic on them, scalar constants.
/// Ops whose inputs are all known run on the host and are not recorded, as the Python numbers that
/// they are in PyTorch.
struct Slot {
    GraphValue value;
    bool known = false;
};

/// Integers of any size and single floats; longer float tensors count as weights.
[[nodiscard]] inline bool may_be_known(const Tensor& tensor) {
    return !is_float(tensor.dtype()) || tensor.numel() <= 1;
}

}  // namespace npuscope::onnx_model
