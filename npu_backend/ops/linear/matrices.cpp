// Triangles, traces and determinants of matrices.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void lower_triangle(Lowering& op) {
    if (op.raw("self").ndim() < 2) op.reject("self needs two dimensions");
    op.result(op.launch(op.kernel(), {op.raw("self")}, {{"diagonal", op.integer("diagonal")}}),
              op.declared("self"));
}

void lower_trace(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() != 2) op.reject("self must have 2 dimensions");
    op.become("sum", {{"self", op.computed("diagonal", {{"self", self}}).at(0)}});
}

void lower_det(Lowering& op) {
    const Tensor& a = op.raw("A");
    if (a.ndim() < 2 || a.dim(-1) != a.dim(-2)) op.reject("A must be square matrices");
    op.result(op.launch("MatrixDeterminant", {op.tensor("A")}), a.dtype());
}

}  // namespace

std::span<const OpRow> matrices_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "tril(Tensor self, int diagonal=0) -> Tensor",
         .launches = {"Tril"},
         .source = "table",
         .lower = lower_triangle},
        {.schema = "triu(Tensor self, int diagonal=0) -> Tensor",
         .launches = {"Triu"},
         .source = "table",
         .lower = lower_triangle},
        {.schema = "trace(Tensor self) -> Tensor",
         .launches = {"ReduceSum"},
         .lower = lower_trace,
         .sum = "result"},
        {.schema = "linalg_det(Tensor A) -> Tensor",
         .launches = {"MatrixDeterminant"},
         .lower = lower_det},
    });
    return kRows;
}

}  // namespace npuscope::backend
