// Activations whose slope or gate is an input: PReLU and GLU, with their gradients.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// The weight of each channel, under x's shape.
Tensor slopes_of(Lowering& op, const Tensor& x, const Tensor& weight) {
    Shape shape(static_cast<size_t>(x.ndim()), 1);
    if (weight.numel() != 1) {
        if (x.ndim() < 2 || x.dim(1) != weight.numel())
            op.reject("weight " + to_string(weight.shape()) + " does not fit self " +
                      to_string(x.shape()));
        shape[1] = weight.numel();
    }
    return weight.reshaped(std::move(shape));
}

void lower_prelu(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch("PRelu", {x, slopes_of(op, x, op.tensor("weight"))}), op.declared("self"));
}

/// The gradient to the weight is summed over everything that shares it.
void lower_prelu_gradient(Lowering& op) {
    const Operands pair = operands_of_one_shape(op, "grad_output", "self");
    const Tensor weight = op.cast(op.tensor("weight"), pair.dtype);
    const std::vector<Tensor> gradients =
        op.launch_all("PReluGrad", {pair.self, pair.other, slopes_of(op, pair.other, weight)});
    if (gradients.size() != 2) op.reject("kernel PReluGrad must give dx and da");
    op.result(gradients[0], pair.dtype);
    IntList axes;
    for (int64_t axis = 0; axis < pair.other.ndim(); ++axis)
        if (weight.numel() == 1 || axis != 1) axes.push_back(axis);
    const Tensor sum =
        op.launch("ReduceSum", {gradients[1]}, {{"axes", axes}, {"keep_dims", false}});
    op.result(sum.reshaped(weight.shape()), pair.dtype);
}

/// Since PyTorch 2.0: the weight already has self's dimensions, its gradient is not summed.
void lower_prelu_kernel(Lowering& op) {
    op.result(op.launch("PRelu", {op.tensor("self"), op.tensor("weight")}), op.declared("self"));
}

void lower_prelu_kernel_gradient(Lowering& op) {
    const Operands pair = operands_of_one_shape(op, "grad_output", "self");
    const std::vector<Tensor> gradients = op.launch_all(
        "PReluGrad", {pair.self, pair.other, op.cast(op.tensor("weight"), pair.dtype)});
    for (const Tensor& gradient : gradients)
        op.result(gradient, pair.dtype);
}

struct Halves {
    Tensor left, right;
    int64_t axis;
};

Halves halves_of(Lowering& op) {
    const Tensor x = op.tensor("self");
    const int64_t axis = normalized_axis(op.integer("dim"), x.ndim());
    if (x.ndim() == 0 || x.dim(axis) % 2 != 0)
        op.reject("dimension " + std::to_string(axis) + " of " + to_string(x.shape()) +
                  " must be even");
    const std::vector<Tensor> parts =
        op.computed("split_Tensor", {{"self", x}, {"split_size", x.dim(axis) / 2}, {"dim", axis}});
    return {parts.at(0), parts.at(1), axis};
}

void lower_glu(Lowering& op) {
    const Halves x = halves_of(op);
    op.result(op.launch("Mul", {x.left, op.launch("Sigmoid", {x.right})}), op.declared("self"));
}

void lower_glu_gradient(Lowering& op) {
    const Halves x = halves_of(op);
    const Tensor dy = op.tensor("grad_output");
    const Tensor gate = op.launch("Sigmoid", {x.right});
    const Tensor left = op.launch("Mul", {dy, gate});
    const Tensor right = op.launch("SigmoidGrad", {op.launch("Mul", {dy, x.left}), gate});
    op.result(op.launch("ConcatD", {left, right}, {{"concat_dim", x.axis}, {"N", int64_t{2}}}),
              op.declared("self"));
}

}  // namespace

std::span<const OpRow> gates_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "prelu(Tensor self, Tensor weight) -> Tensor",
         .launches = {"PRelu"},
         .source = "table",
         .lower = lower_prelu},
        {.schema =
             "prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
         .launches = {"PReluGrad", "ReduceSum"},
         .source = "table",
         .lower = lower_prelu_gradient},
        {.schema = "_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
         .launches = {"PRelu"},
         .lower = lower_prelu_kernel},
        {.schema = "_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> "
                   "(Tensor, Tensor)",
         .launches = {"PReluGrad"},
         .lower = lower_prelu_kernel_gradient},
        {.schema = "glu(Tensor self, int dim=-1) -> Tensor",
         .launches = {"Sigmoid", "Mul"},
         .source = "indirect",
         .lower = lower_glu},
        {.schema = "glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor",
         .launches = {"Sigmoid", "Mul", "SigmoidGrad", "ConcatD"},
         .note = "Sigmoid, Mul, Mul, SigmoidGrad, ConcatD",
         .source = "indirect",
         .lower = lower_glu_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
