// Norms of vectors.
#include <array>

#include "npu_backend/ops/reduction/axes.h"

namespace npuscope::backend {

namespace {

/// In float32 at least; the root and the sum are two launches. The row's argument is the order.
/// Source: CANN adapter, norm.
void lower_norm(Lowering& op) {
    DType dtype = op.declared("self");
    if (op.declares("dtype")) dtype = op.dtype("dtype").value_or(dtype);
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    const double p = op.has(op.argument()) ? op.number(op.argument()) : 2.0;
    const DType inside = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
    const Tensor x = op.cast(op.cast(op.tensor("self"), dtype), inside);
    NamedValues attributes = reduction_of(op, x.ndim());
    attributes.push_back({"p", p});
    const Tensor sum = op.launch("LpNormReduce", {x}, std::move(attributes));
    op.result(op.launch("LpNormUpdate", {sum}, {{"p", p}}), dtype);
}

}  // namespace

std::span<const OpRow> norms_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
         .launches = {"Cast", "LpNormReduce", "LpNormUpdate"},
         .note = "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
         .source = "table",
         .lower = lower_norm,
         .argument = "p",
         .sum = "result"},
        {.schema =
             "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
         .launches = {"Cast", "LpNormReduce", "LpNormUpdate"},
         .note = "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
         .source = "table",
         .lower = lower_norm,
         .argument = "p",
         .sum = "result"},
        {.schema = "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool "
                   "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"Cast", "LpNormReduce", "LpNormUpdate"},
         .note = "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
         .lower = lower_norm,
         .argument = "ord",
         .sum = "result"},
    });
    return kRows;
}

}  // namespace npuscope::backend
