#include "npu_backend/onnx/ir_calls.h"

#include <numeric>
#include <utility>

namespace npuscope::onnx_model::ir {

Tensor unary(NodeRun& node, std::string_view name, const Tensor& x) {
    return node.call(name, {{"self", x}});
}

Tensor binary(NodeRun& node, std::string_view name, const Tensor& a, const Tensor& b) {
    return node.call(name, {{"self", a}, {"other", b}});
}

Tensor add(NodeRun& node, const Tensor& a, const Tensor& b) {
    return binary(node, "add_Tensor", a, b);
}

Tensor sub(NodeRun& node, const Tensor& a, const Tensor& b) {
    return binary(node, "sub_Tensor", a, b);
}

Tensor mul(NodeRun& node, const Tensor& a, const Tensor& b) {
    return binary(node, "mul_Tensor", a, b);
}

Tensor div(NodeRun& node, const Tensor& a, const Tensor& b) {
    return binary(node, "div_Tensor", a, b);
}

Tensor number_like(const Tensor& x, double value) {
    return Tensor::scalar(value).cast(x.dtype());
}

Tensor add(NodeRun& node, const Tensor& a, double b) {
    return add(node, a, number_like(a, b));
}

Tensor mul(NodeRun& node, const Tensor& a, double b) {
    return mul(node, a, number_like(a, b));
}

Tensor where(NodeRun& node, const Tensor& condition, const Tensor& a, const Tensor& b) {
    return node.call("where_self", {{"condition", condition}, {"self", a}, {"other", b}});
}

Tensor cast(NodeRun& node, const Tensor& x, DType dtype) {
    if (x.dtype() == dtype) return x;
    return node.call("_to_copy", {{"self", x}, {"dtype", dtype}});
}

Tensor view(NodeRun& node, const Tensor& x, Shape shape) {
    if (x.shape() == shape) return x;
    return node.call("view", {{"self", x}, {"size", std::move(shape)}});
}

Tensor expand(NodeRun& node, const Tensor& x, Shape shape) {
    if (x.shape() == shape) return x;
    return node.call("expand", {{"self", x}, {"size", std::move(shape)}});
}

Tensor permute(NodeRun& node, const Tensor& x, const IntList& dims) {
    if (dims == iota(x.ndim())) return x;
    return node.call("permute", {{"self", x}, {"dims", dims}});
}

Tensor slice(
    NodeRun& node, const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step) {
    if (start == 0 && end == x.dim(dim) && step == 1) return x;
    return node.call("slice_Tensor",
                     {{"self", x}, {"dim", dim}, {"start", start}, {"end", end}, {"step", step}});
}

Tensor select(NodeRun& node, const Tensor& x, int64_t dim, int64_t index) {
    return node.call("select_int", {{"self", x}, {"dim", dim}, {"index", index}});
}

Tensor unsqueeze(NodeRun& node, const Tensor& x, int64_t dim) {
    return node.call("unsqueeze", {{"self", x}, {"dim", dim}});
}

Tensor take(NodeRun& node, const Tensor& x, int64_t dim, const IntList& index) {
    return node.call("index_select", {{"self", x}, {"dim", dim}, {"index", int_tensor(index)}});
}

Tensor cat(NodeRun& node, TensorList tensors, int64_t dim) {
    return node.call("cat", {{"tensors", std::move(tensors)}, {"dim", dim}});
}

Tensor reduce(
    NodeRun& node, std::string_view name, const Tensor& x, const IntList& dims, bool keepdim) {
    return node.call(name, {{"self", x}, {"dim", dims}, {"keepdim", keepdim}});
}

Tensor matmul(NodeRun& node, const Tensor& a, const Tensor& b) {
    return node.call(a.ndim() == 2 ? "mm" : "bmm", {{"self", a}, {"mat2", b}});
}

IntList iota(int64_t count) {
    IntList values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

Tensor int_tensor(const IntList& values) {
    return Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace npuscope::onnx_model::ir
