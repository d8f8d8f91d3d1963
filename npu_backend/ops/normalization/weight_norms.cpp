// Weights of a given norm, and their gradients.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// Every axis but `dim`, which must be the first or the last.
NamedValues others(const Lowering& op, const Tensor& v) {
    const int64_t kept = normalized_axis(op.integer("dim"), v.ndim());
    if (kept != 0 && kept != v.ndim() - 1) op.reject("dim must be the first or the last");
    IntList axes;
    for (int64_t axis = 0; axis < v.ndim(); ++axis)
        if (axis != kept) axes.push_back(axis);
    return {{"axes", axes}, {"keep_dims", true}};
}

void lower_weight_norm(Lowering& op) {
    const Tensor v = op.tensor("v");
    NamedValues attributes = others(op, v);
    attributes.push_back({"p", 2.0});
    const Tensor sum = op.launch("LpNormReduce", {v}, std::move(attributes));
    const Tensor norms = op.launch("LpNormUpdate", {sum}, {{"p", 2.0}});
    const Tensor factor = op.launch("RealDiv", {op.tensor("g"), norms});
    op.result(op.launch("Mul", {v, factor}), op.declared("v"));
    op.result(norms, op.declared("g"));
}

void lower_weight_norm_gradient(Lowering& op) {
    const Tensor dw = op.tensor("grad_w");
    const Tensor v = op.tensor("saved_v");
    const Tensor norms = op.tensor("saved_norms");
    const Tensor sums = op.launch("ReduceSum", {op.launch("Mul", {dw, v})}, others(op, v));
    const Tensor dg = op.launch("RealDiv", {sums, norms});
    const Tensor along = op.launch("Mul", {v, op.launch("RealDiv", {dg, norms})});
    const Tensor factor = op.launch("RealDiv", {op.tensor("saved_g"), norms});
    op.result(op.launch("Mul", {factor, op.launch("Sub", {dw, along})}), op.declared("saved_v"));
    op.result(dg, op.declared("saved_g"));
}

}  // namespace

std::span<const OpRow> weight_norms_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
         .launches = {"LpNormReduce", "LpNormUpdate", "RealDiv", "Mul"},
         .lower = lower_weight_norm},
        {.schema = "_weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, "
                   "Tensor saved_norms, int dim) -> (Tensor, Tensor)",
         .launches = {"Mul", "ReduceSum", "RealDiv", "Sub"},
         .note = "Mul, ReduceSum, RealDiv, RealDiv, Mul, RealDiv, Sub, Mul",
         .lower = lower_weight_norm_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
