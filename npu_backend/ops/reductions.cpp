// Ops that reduce over axes.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// The axes from the front; all of them when none are named.
IntList axes_of(const Lowering& op, const Tensor& tensor) {
    IntList axes;
    if (op.has("dim"))
        for (const int64_t axis : op.ints("dim"))
            axes.push_back(normalized_axis(axis, tensor.ndim()));
    if (axes.empty())
        for (int64_t axis = 0; axis < tensor.ndim(); ++axis)
            axes.push_back(axis);
    return axes;
}

void lower_reduction(Lowering& op, const char* kernel, DType dtype) {
    Tensor x = op.cast(op.tensor("self"), dtype);
    const IntList axes = axes_of(op, x);
    op.result(
        op.launch(kernel, {std::move(x)}, {{"axes", axes}, {"keep_dims", op.flag("keepdim")}}),
        dtype);
}

void lower_mean(Lowering& op) {
    const DType dtype = op.dtype("dtype").value_or(op.declared("self"));
    if (!is_float(dtype)) op.reject("the mean of integers needs a float dtype");
    lower_reduction(op, "ReduceMean", dtype);
}

void lower_sum(Lowering& op) {
    const DType own = op.declared("self");
    lower_reduction(
        op, "ReduceSum", op.dtype("dtype").value_or(is_float(own) ? own : DType::kInt64));
}

void lower_amax(Lowering& op) {
    lower_reduction(op, "ReduceMax", op.declared("self"));
}

void lower_amin(Lowering& op) {
    lower_reduction(op, "ReduceMin", op.declared("self"));
}

}  // namespace

std::span<const OpRow> reductions_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
                   "dtype=None) -> Tensor",
         .launches = {"ReduceMean"},
         .source = "spec",
         .lower = lower_mean,
         .sum = "result"},
        {.schema = "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
                   "dtype=None) -> Tensor",
         .launches = {"ReduceSum"},
         .note = "ReduceSum; integers stay exact",
         .source = "spec",
         .lower = lower_sum,
         .sum = "result"},
        {.schema = "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
         .launches = {"ReduceMax"},
         .lower = lower_amax},
        {.schema = "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
         .launches = {"ReduceMin"},
         .lower = lower_amin},
    });
    return kRows;
}

}  // namespace npuscope::backend
