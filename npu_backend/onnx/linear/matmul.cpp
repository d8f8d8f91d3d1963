// MatMul and Gemm, split into mm, bmm and addmm as PyTorch's matmul and linear do.
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/node_run.h"
#include "npu_backend/onnx/recurrent/products.h"

namespace npuscope::onnx_model {

namespace {

Tensor viewed(NodeRun& node, const Tensor& tensor, Shape shape) {
    if (tensor.shape() == shape) return tensor;
    return node.call("view", {{"self", tensor}, {"size", std::move(shape)}});
}

Tensor expanded(NodeRun& node, const Tensor& tensor, Shape shape) {
    if (tensor.shape() == shape) return tensor;
    return node.call("expand", {{"self", tensor}, {"size", std::move(shape)}});
}

Tensor transposed(NodeRun& node, const Tensor& tensor) {
    return node.call("t", {{"self", tensor}});
}

/// Stacks of matrices: both broadcast to one batch, multiplied pairwise.
Tensor multiply_stacks(NodeRun& node, const Tensor& a, const Tensor& b) {
    const auto batch_of = [](const Tensor& tensor) {
        return Shape(tensor.shape().begin(), tensor.shape().end() - 2);
    };
    const Shape batch = broadcast(batch_of(a), batch_of(b));
    const int64_t count = numel_of(batch);
    const auto flat_stack = [&](const Tensor& tensor) {
        Shape shape = batch;
        shape.insert(shape.end(), {tensor.dim(-2), tensor.dim(-1)});
        return viewed(node,
                      expanded(node, tensor, std::move(shape)),
                      {count, tensor.dim(-2), tensor.dim(-1)});
    };
    const Tensor product = node.call("bmm", {{"self", flat_stack(a)}, {"mat2", flat_stack(b)}});
    Shape shape = batch;
    shape.insert(shape.end(), {a.dim(-2), b.dim(-1)});
    return viewed(node, product, std::move(shape));
}

/// A stack of matrices times one matrix is one long matrix times it.
Tensor multiply_by_matrix(NodeRun& node, const Tensor& a, const Tensor& b) {
    Shape shape(a.shape().begin(), a.shape().end() - 1);
    const int64_t rows = numel_of(shape);
    const Tensor product =
        node.call("mm", {{"self", viewed(node, a, {rows, a.dim(-1)})}, {"mat2", b}});
    shape.push_back(b.dim(1));
    return viewed(node, product, std::move(shape));
}

/// C of Gemm as addmm takes it: a vector over columns, or the whole matrix.
Tensor addend(NodeRun& node, const Tensor& tensor, int64_t rows, int64_t columns) {
    if (tensor.shape() == Shape{columns}) return tensor;
    node.require(broadcast(tensor.shape(), {rows, columns}) == Shape{rows, columns},
                 "C of shape " + to_string(tensor.shape()) + " does not broadcast to the result");
    return expanded(node, tensor, {rows, columns});
}

}  // namespace

Tensor multiplied(NodeRun& node, Tensor a, Tensor b) {
    const Shape shape_a = a.shape();
    const Shape shape_b = b.shape();
    node.require(a.ndim() >= 1 && b.ndim() >= 1, "a scalar cannot be multiplied as a matrix");
    const bool row = a.ndim() == 1;
    const bool column = b.ndim() == 1;
    if (row) a = viewed(node, a, {1, a.dim(0)});
    if (column) b = viewed(node, b, {b.dim(0), 1});
    node.require(a.dim(-1) == b.dim(-2),
                 "shapes " + to_string(shape_a) + " and " + to_string(shape_b) + " do not fit");
    Tensor product = b.ndim() == 2 ? multiply_by_matrix(node, a, b) : multiply_stacks(node, a, b);
    Shape shape = product.shape();
    if (row) shape.erase(shape.end() - 2);
    if (column) shape.pop_back();
    return viewed(node, product, std::move(shape));
}

void lower_matmul(NodeRun& node) {
    node.set_output(0, multiplied(node, node.input(0), node.input(1)));
}

void lower_gemm(NodeRun& node) {
    Tensor a = node.input(0);
    Tensor b = node.input(1);
    node.require(a.ndim() == 2 && b.ndim() == 2, "its inputs must be matrices");
    if (node.attribute("transA", int64_t{0}) != 0) a = transposed(node, a);
    if (node.attribute("transB", int64_t{0}) != 0) b = transposed(node, b);
    node.require(
        a.dim(1) == b.dim(0),
        "matrices " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not fit");
    const double alpha = node.attribute("alpha", 1.0);
    const double beta = node.attribute("beta", 1.0);
    const auto scalar = [](double factor) {
        return factor == 1.0 ? Scalar{int64_t{1}} : Scalar{factor};
    };
    if (node.has_input(2) && beta != 0.0) {
        node.set_output(0,
                        node.call("addmm",
                                  {{"self", addend(node, node.input(2), a.dim(0), b.dim(1))},
                                   {"mat1", a},
                                   {"mat2", b},
                                   {"beta", scalar(beta)},
                                   {"alpha", scalar(alpha)}}));
        return;
    }
    Tensor product = node.call("mm", {{"self", a}, {"mat2", b}});
    if (alpha != 1.0)
        product =
            node.call("mul_Tensor",
                      {{"self", product}, {"other", Tensor::scalar(alpha).cast(product.dtype())}});
    node.set_output(0, std::move(product));
}

}  // namespace npuscope::onnx_model
