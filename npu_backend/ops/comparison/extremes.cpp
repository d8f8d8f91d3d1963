// The larger or smaller of two, and values kept between bounds.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

/// The number that is not nan.
void lower_numeric_extreme(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    Tensor a = pair.self;
    Tensor b = pair.other;
    if (is_float(pair.dtype)) {
        const Tensor no_number = op.launch("IsNan", {a});
        const Tensor other_no_number = op.launch("IsNan", {b});
        const Tensor kept = op.launch("SelectV2", {no_number, b, a});
        b = op.launch("SelectV2", {other_no_number, a, b});
        a = kept;
    }
    op.result(op.launch(op.kernel(), {a, b}), pair.dtype);
}

void clamp_between(Lowering& op, const char* low, const char* high) {
    const Operands below = common_operands(op, "self", low);
    const Operands above = common_operands(op, "self", high);
    if (below.dtype != above.dtype) op.reject("both bounds must be integers or both floats");
    op.result(op.launch("ClipByValue", {below.self, below.other, above.other}), below.dtype);
}

void lower_clamp(Lowering& op) {
    if (op.has("min") && op.has("max")) {
        clamp_between(op, "min", "max");
        return;
    }
    if (!op.has("min") && !op.has("max")) op.reject("min or max is needed");
    const Operands pair = common_operands(op, "self", op.has("min") ? "min" : "max");
    op.result(op.launch(op.has("min") ? "Maximum" : "Minimum", {pair.self, pair.other}),
              pair.dtype);
}

void lower_hardtanh(Lowering& op) {
    clamp_between(op, "min_val", "max_val");
}

void lower_clamp_tensor(Lowering& op) {
    std::vector<Tensor> given = {op.raw("self")};
    for (const char* name : {"min", "max"})
        if (op.has(name)) given.push_back(op.raw(name));
    if (given.size() == 1) op.reject("min or max is needed");
    const DType dtype = result_type(given);
    Tensor y = op.cast(op.tensor("self"), dtype);
    if (op.has("min")) y = op.launch("Maximum", {y, op.cast(op.tensor("min"), dtype)});
    if (op.has("max")) y = op.launch("Minimum", {y, op.cast(op.tensor("max"), dtype)});
    op.result(std::move(y), dtype);
}

}  // namespace

std::span<const OpRow> extremes_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "maximum(Tensor self, Tensor other) -> Tensor",
         .launches = {"Maximum"},
         .lower = lower_binary},
        {.schema = "minimum(Tensor self, Tensor other) -> Tensor",
         .launches = {"Minimum"},
         .lower = lower_binary},
        {.schema = "fmax(Tensor self, Tensor other) -> Tensor",
         .launches = {"Maximum", "IsNan", "SelectV2"},
         .note = "IsNan, SelectV2 of each, Maximum; integers Maximum",
         .lower = lower_numeric_extreme},
        {.schema = "fmin(Tensor self, Tensor other) -> Tensor",
         .launches = {"Minimum", "IsNan", "SelectV2"},
         .note = "IsNan, SelectV2 of each, Minimum; integers Minimum",
         .lower = lower_numeric_extreme},
        {.schema = "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
         .launches = {"ClipByValue", "Maximum", "Minimum"},
         .note = "ClipByValue; Maximum or Minimum with one bound",
         .source = "table",
         .lower = lower_clamp},
        {.schema = "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
         .launches = {"Maximum", "Minimum"},
         .lower = lower_clamp_tensor},
        {.schema = "clamp_min(Tensor self, Scalar min) -> Tensor",
         .launches = {"Maximum"},
         .lower = lower_binary,
         .argument = "min"},
        {.schema = "clamp_max(Tensor self, Scalar max) -> Tensor",
         .launches = {"Minimum"},
         .lower = lower_binary,
         .argument = "max"},
        {.schema = "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
         .launches = {"Maximum"},
         .lower = lower_binary,
         .argument = "min"},
        {.schema = "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
         .launches = {"Minimum"},
         .lower = lower_binary,
         .argument = "max"},
        {.schema = "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
         .launches = {"ClipByValue"},
         .source = "table",
         .lower = lower_hardtanh},
    });
    return kRows;
}

}  // namespace npuscope::backend
