// Integers near a float, its fraction, and numbers in place of nan and infinity.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

void lower_frac(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch("Sub", {x, op.launch("Trunc", {x})}), op.declared("self"));
}

void lower_nan_to_num(Lowering& op) {
    if (!is_float(op.declared("self"))) {
        op.result(op.raw("self"), op.declared("self"));
        return;
    }
    NamedValues attributes = {{"limits", op.declared("self")}};
    for (const char* name : {"nan", "posinf", "neginf"})
        if (op.has(name)) attributes.push_back({name, op.number(name)});
    op.result(op.launch("NanToNum", {op.tensor("self")}, std::move(attributes)),
              op.declared("self"));
}

}  // namespace

std::span<const OpRow> rounding_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "floor(Tensor self) -> Tensor",
         .launches = {"Floor"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "ceil(Tensor self) -> Tensor",
         .launches = {"Ceil"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "round(Tensor self) -> Tensor",
         .launches = {"Round"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "trunc(Tensor self) -> Tensor",
         .launches = {"Trunc"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "frac(Tensor self) -> Tensor",
         .launches = {"Trunc", "Sub"},
         .source = "indirect",
         .lower = lower_frac},
        {.schema = "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? "
                   "neginf=None) -> Tensor",
         .launches = {"NanToNum"},
         .lower = lower_nan_to_num},
    });
    return kRows;
}

}  // namespace npuscope::backend
