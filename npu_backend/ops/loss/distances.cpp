// Distances between rows.
#include <array>
#include <cmath>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// (sum over the last axis of |x|^p)^(1/p), in the dtype of x.
Tensor norm_of(Lowering& op, const Tensor& x, double p) {
    const Tensor sum = op.launch(
        "LpNormReduce", {x}, {{"axes", IntList{x.ndim() - 1}}, {"keep_dims", false}, {"p", p}});
    return op.launch("LpNormUpdate", {sum}, {{"p", p}});
}

double order_of(const Lowering& op) {
    const double p = op.number("p");
    if (!(p >= 0)) op.reject("p must not be negative");
    return p;
}

Tensor with_axis(const Tensor& tensor, int64_t axis) {
    Shape shape = tensor.shape();
    shape.insert(shape.end() + axis + 1, 1);
    return tensor.reshaped(std::move(shape));
}

void lower_cdist(Lowering& op) {
    const double p = order_of(op);
    const Tensor a = op.tensor("x1");
    const Tensor b = op.tensor("x2");
    if (a.ndim() < 2 || b.ndim() < 2 || a.dim(-1) != b.dim(-1) || a.dtype() != b.dtype())
        op.reject("x1 " + to_string(a.shape()) + " and x2 " + to_string(b.shape()) +
                  " must be rows of one length and dtype");
    const Tensor apart = op.launch("Sub", {with_axis(a, -2), with_axis(b, -3)});
    op.result(norm_of(op, apart, p), op.declared("x1"));
}

/// To x1; to x2 it is that of the transposed distances.
void lower_cdist_gradient(Lowering& op) {
    const Tensor a = op.tensor("x1");
    const Tensor b = op.tensor("x2");
    const Tensor apart = op.launch("Sub", {with_axis(a, -2), with_axis(b, -3)});
    const Tensor each =
        op.launch("CdistGrad",
                  {with_axis(op.tensor("grad"), -1), apart, with_axis(op.tensor("cdist"), -1)},
                  {{"p", order_of(op)}});
    op.result(
        op.launch("ReduceSum", {each}, {{"axes", IntList{each.ndim() - 2}}, {"keep_dims", false}}),
        op.declared("x1"));
}

/// Each pair of rows once.
void lower_pdist(Lowering& op) {
    const double p = order_of(op);
    const Tensor x = op.tensor("self");
    if (x.ndim() != 2) op.reject("self must have 2 dimensions");
    std::vector<int64_t> first;
    std::vector<int64_t> second;
    for (int64_t i = 0; i < x.dim(0); ++i)
        for (int64_t j = i + 1; j < x.dim(0); ++j) {
            first.push_back(i);
            second.push_back(j);
        }
    const auto rows = [&](const std::vector<int64_t>& places) {
        const Tensor index = Tensor::from<int64_t>({static_cast<int64_t>(places.size())},
                                                   std::span<const int64_t>(places));
        return op.launch("GatherV2", {x, index}, {{"axis", int64_t{0}}});
    };
    op.result(norm_of(op, op.launch("Sub", {rows(first), rows(second)}), p), op.declared("self"));
}

}  // namespace

std::span<const OpRow> distances_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
         .launches = {"Sub", "LpNormReduce", "LpNormUpdate"},
         .note = "Sub, LpNormReduce, LpNormUpdate (CANN: Cdist)",
         .lower = lower_cdist},
        {.schema =
             "_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor",
         .launches = {"Sub", "CdistGrad", "ReduceSum"},
         .lower = lower_cdist_gradient},
        {.schema = "_pdist_forward(Tensor self, float p=2.0) -> Tensor",
         .launches = {"GatherV2", "Sub", "LpNormReduce", "LpNormUpdate"},
         .note = "GatherV2, GatherV2, Sub, LpNormReduce, LpNormUpdate (CANN: Pdist)",
         .lower = lower_pdist},
    });
    return kRows;
}

}  // namespace npuscope::backend
