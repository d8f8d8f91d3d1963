// Matrix products and convolutions as several operators need them.
#pragma once

#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

/// As MatMul: stacks broadcast, vectors count as one row or column.
[[nodiscard]] Tensor multiplied(NodeRun& node, Tensor a, Tensor b);

/// As Conv with this node's attributes, over one to three spatial dimensions.
[[nodiscard]] Tensor convolved(NodeRun& node, Tensor input, const Tensor& weight, Value bias);

}  // namespace npuscope::onnx_model
