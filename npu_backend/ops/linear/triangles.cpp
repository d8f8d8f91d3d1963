// Triangles of matrices.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void lower_triangle(Lowering& op) {
    if (op.raw("self").ndim() < 2) op.reject("self needs two dimensions");
    op.result(op.launch(op.kernel(), {op.raw("self")}, {{"diagonal", op.integer("diagonal")}}),
              op.declared("self"));
}

}  // namespace

std::span<const OpRow> triangles_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "tril(Tensor self, int diagonal=0) -> Tensor",
         .launches = {"Tril"},
         .source = "table",
         .lower = lower_triangle},
        {.schema = "triu(Tensor self, int diagonal=0) -> Tensor",
         .launches = {"Triu"},
         .source = "table",
         .lower = lower_triangle},
    });
    return kRows;
}

}  // namespace npuscope::backend
