// Sums and products along an axis.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/reduction/axes.h"

namespace npuscope::backend {

namespace {

/// Sums and products of all elements up to each place.
void lower_cumulation(Lowering& op) {
    const DType dtype = sum_type(op);
    const Tensor x = op.cast(op.tensor("self"), dtype);
    if (x.ndim() == 0) {
        op.result(x, dtype);
        return;
    }
    const int64_t axis = normalized_axis(op.integer("dim"), x.ndim());
    op.result(
        op.launch(op.kernel(), {x}, {{"axis", axis}, {"exclusive", false}, {"reverse", false}}),
        dtype);
}

}  // namespace

std::span<const OpRow> cumulations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"Cumsum"},
         .note = "Cumsum; integers stay exact",
         .source = "table",
         .lower = lower_cumulation,
         .sum = "result"},
        {.schema = "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"Cumprod"},
         .note = "Cumprod; integers stay exact",
         .source = "indirect",
         .lower = lower_cumulation},
    });
    return kRows;
}

}  // namespace npuscope::backend
