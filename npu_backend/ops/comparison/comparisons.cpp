// Comparisons, and what is nan, infinite or finite.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

/// Integers are neither nan nor infinite.
void lower_test(Lowering& op) {
    if (!is_float(op.declared("self"))) {
        op.result(Tensor::zeros(DType::kBool, op.raw("self").shape()), DType::kBool);
        return;
    }
    op.result(op.launch(op.kernel(), {op.tensor("self")}), DType::kBool);
}

void lower_is_finite(Lowering& op) {
    if (is_float(op.declared("self")))
        op.result(op.launch("IsFinite", {op.tensor("self")}), DType::kBool);
    else
        op.result(op.launch("OnesLike", {Tensor(DType::kBool, op.raw("self").shape())}),
                  DType::kBool);
}

}  // namespace

std::span<const OpRow> comparisons_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "eq.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"Equal"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "ne.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"NotEqual"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "gt.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"Greater"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "ge.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"GreaterEqual"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "lt.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"Less"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "le.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"LessEqual"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "eq.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"Equal"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "ne.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"NotEqual"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "gt.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"Greater"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "ge.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"GreaterEqual"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "lt.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"Less"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "le.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"LessEqual"},
         .source = "table",
         .lower = lower_comparison},
        {.schema = "isnan(Tensor self) -> Tensor", .launches = {"IsNan"}, .lower = lower_test},
        {.schema = "isinf(Tensor self) -> Tensor", .launches = {"IsInf"}, .lower = lower_test},
        {.schema = "isfinite(Tensor self) -> Tensor",
         .launches = {"IsFinite", "OnesLike"},
         .note = "IsFinite; OnesLike for integers",
         .source = "table",
         .lower = lower_is_finite},
    });
    return kRows;
}

}  // namespace npuscope::backend
