// Comparisons, choices and bounds.
#include <array>
#include <limits>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

template <const char* kKernel>
void lower_compare(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), DType::kBool);
}

template <const char* kKernel>
void lower_compare_scalar(Lowering& op) {
    const Operands pair = scalar_operands(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), DType::kBool);
}

void lower_where(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch("SelectV2", {op.raw("condition"), pair.self, pair.other}), pair.dtype);
}

void clamp_between(Lowering& op, const char* low, const char* high) {
    const Operands below = scalar_operands(op, "self", low);
    const Operands above = scalar_operands(op, "self", high);
    if (below.dtype != above.dtype) op.reject("both bounds must be integers or both floats");
    op.result(op.launch("ClipByValue", {below.self, below.other, above.other}), below.dtype);
}

void lower_clamp(Lowering& op) {
    if (op.has("min") && op.has("max")) {
        clamp_between(op, "min", "max");
        return;
    }
    if (!op.has("min") && !op.has("max")) op.reject("min or max is needed");
    const Operands pair = scalar_operands(op, "self", op.has("min") ? "min" : "max");
    op.result(op.launch(op.has("min") ? "Maximum" : "Minimum", {pair.self, pair.other}),
              pair.dtype);
}

void lower_hardtanh(Lowering& op) {
    clamp_between(op, "min_val", "max_val");
}

constexpr char kEqual[] = "Equal";
constexpr char kNotEqual[] = "NotEqual";
constexpr char kGreater[] = "Greater";
constexpr char kGreaterEqual[] = "GreaterEqual";
constexpr char kLess[] = "Less";
constexpr char kLessEqual[] = "LessEqual";

constexpr auto kRows = std::to_array<OpRow>({
    {"eq.Tensor(Tensor self, Tensor other) -> Tensor", "Equal", "table", lower_compare<kEqual>},
    {"ne.Tensor(Tensor self, Tensor other) -> Tensor",
     "NotEqual",
     "table",
     lower_compare<kNotEqual>},
    {"gt.Tensor(Tensor self, Tensor other) -> Tensor", "Greater", "table", lower_compare<kGreater>},
    {"ge.Tensor(Tensor self, Tensor other) -> Tensor",
     "GreaterEqual",
     "table",
     lower_compare<kGreaterEqual>},
    {"lt.Tensor(Tensor self, Tensor other) -> Tensor", "Less", "table", lower_compare<kLess>},
    {"le.Tensor(Tensor self, Tensor other) -> Tensor",
     "LessEqual",
     "table",
     lower_compare<kLessEqual>},
    {"eq.Scalar(Tensor self, Scalar other) -> Tensor",
     "Equal",
     "table",
     lower_compare_scalar<kEqual>},
    {"ne.Scalar(Tensor self, Scalar other) -> Tensor",
     "NotEqual",
     "table",
     lower_compare_scalar<kNotEqual>},
    {"gt.Scalar(Tensor self, Scalar other) -> Tensor",
     "Greater",
     "table",
     lower_compare_scalar<kGreater>},
    {"ge.Scalar(Tensor self, Scalar other) -> Tensor",
     "GreaterEqual",
     "table",
     lower_compare_scalar<kGreaterEqual>},
    {"lt.Scalar(Tensor self, Scalar other) -> Tensor",
     "Less",
     "table",
     lower_compare_scalar<kLess>},
    {"le.Scalar(Tensor self, Scalar other) -> Tensor",
     "LessEqual",
     "table",
     lower_compare_scalar<kLessEqual>},
    {"where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
     "SelectV2",
     "table",
     lower_where},
    {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
     "ClipByValue; Maximum or Minimum with one bound",
     "table",
     lower_clamp},
    {"hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
     "ClipByValue",
     "table",
     lower_hardtanh},
});

}  // namespace

extern const std::span<const OpRow> k_comparisons_ops;
const std::span<const OpRow> k_comparisons_ops = kRows;

}  // namespace npuscope::backend
