// The IR ops that operators without one of their own are composed of, with their arguments named.
#pragma once

#include <string_view>

#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model::ir {

[[nodiscard]] Tensor unary(NodeRun& node, std::string_view name, const Tensor& x);
[[nodiscard]] Tensor binary(NodeRun& node, std::string_view name, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor add(NodeRun& node, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(NodeRun& node, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(NodeRun& node, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor div(NodeRun& node, const Tensor& a, const Tensor& b);
/// A number in x's dtype, without dimensions.
[[nodiscard]] Tensor number_like(const Tensor& x, double value);
[[nodiscard]] Tensor add(NodeRun& node, const Tensor& a, double b);
[[nodiscard]] Tensor mul(NodeRun& node, const Tensor& a, double b);
[[nodiscard]] Tensor where(NodeRun& node,
                           const Tensor& condition,
                           const Tensor& a,
                           const Tensor& b);
[[nodiscard]] Tensor cast(NodeRun& node, const Tensor& x, DType dtype);
/// None of these is called when it would change nothing.
[[nodiscard]] Tensor view(NodeRun& node, const Tensor& x, Shape shape);
[[nodiscard]] Tensor expand(NodeRun& node, const Tensor& x, Shape shape);
[[nodiscard]] Tensor permute(NodeRun& node, const Tensor& x, const IntList& dims);
[[nodiscard]] Tensor slice(
    NodeRun& node, const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step = 1);
[[nodiscard]] Tensor select(NodeRun& node, const Tensor& x, int64_t dim, int64_t index);
[[nodiscard]] Tensor unsqueeze(NodeRun& node, const Tensor& x, int64_t dim);
[[nodiscard]] Tensor take(NodeRun& node, const Tensor& x, int64_t dim, const IntList& index);
[[nodiscard]] Tensor cat(NodeRun& node, TensorList tensors, int64_t dim);
/// sum_dim_IntList, mean_dim, amax, amin.
[[nodiscard]] Tensor reduce(
    NodeRun& node, std::string_view name, const Tensor& x, const IntList& dims, bool keepdim);
/// Matrices, or stacks of equally many.
[[nodiscard]] Tensor matmul(NodeRun& node, const Tensor& a, const Tensor& b);

/// 0, 1, … count - 1.
[[nodiscard]] IntList iota(int64_t count);
[[nodiscard]] Tensor int_tensor(const IntList& values);

}  // namespace npuscope::onnx_model::ir
