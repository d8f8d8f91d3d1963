// The four operations, remainders and powers.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

void lower_add(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    const double alpha = op.number("alpha");
    op.result(alpha == 1.0 ? op.launch("Add", {pair.self, pair.other})
                           : op.launch("Axpy", {pair.self, pair.other}, {{"alpha", alpha}}),
              pair.dtype);
}

/// a - alpha b.
void subtract(Lowering& op, const Tensor& a, Tensor b, DType dtype) {
    const double alpha = op.number("alpha");
    if (alpha != 1.0 && !is_float(dtype)) {
        op.result(op.launch("Axpy", {a, b}, {{"alpha", -alpha}}), dtype);
        return;
    }
    if (alpha != 1.0) b = op.launch("Muls", {b}, {{"value", alpha}});
    op.result(op.launch("Sub", {a, b}), dtype);
}

void lower_sub(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    subtract(op, pair.self, pair.other, pair.dtype);
}

void lower_rsub(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    subtract(op, pair.other, pair.self, pair.dtype);
}

void lower_div_mode(Lowering& op) {
    if (!op.has("rounding_mode")) {
        lower_binary_float(op);
        return;
    }
    const std::string& mode = op.text("rounding_mode");
    if (mode != "floor" && mode != "trunc") op.reject("rounding_mode must be 'floor' or 'trunc'");
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch(mode == "floor" ? "FloorDiv" : "TruncateDiv", {pair.self, pair.other}),
              pair.dtype);
}

void lower_square(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch("Mul", {x, x}), op.declared("self"));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row an op
std::span<const OpRow> arithmetic_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "neg(Tensor self) -> Tensor",
         .launches = {"Neg"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "abs(Tensor self) -> Tensor",
         .launches = {"Abs"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "sign(Tensor self) -> Tensor",
         .launches = {"Sign"},
         .source = "table",
         .lower = lower_unary},
        {.schema = "sgn(Tensor self) -> Tensor", .launches = {"Sign"}, .lower = lower_unary},
        {.schema = "reciprocal(Tensor self) -> Tensor",
         .launches = {"Reciprocal"},
         .source = "table",
         .lower = lower_float},
        {.schema = "square(Tensor self) -> Tensor", .launches = {"Mul"}, .lower = lower_square},
        {.schema = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
         .launches = {"Add", "Axpy"},
         .note = "Add, or Axpy when alpha is not 1",
         .source = "spec",
         .lower = lower_add},
        {.schema = "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
         .as = "add_Tensor",
         .note = "as add_Tensor",
         .lower = lower_add},
        {.schema = "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
         .launches = {"Sub", "Muls", "Axpy"},
         .note = "Sub, after Muls(other, alpha) when alpha is not 1",
         .source = "table",
         .lower = lower_sub},
        {.schema = "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
         .as = "sub_Tensor",
         .note = "as sub_Tensor",
         .lower = lower_sub},
        {.schema = "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
         .launches = {"Sub", "Muls", "Axpy"},
         .note = "Sub, after Muls(self, alpha) when alpha is not 1",
         .source = "table",
         .lower = lower_rsub},
        {.schema = "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
         .launches = {"Sub", "Muls", "Axpy"},
         .note = "Sub, after Muls(self, alpha) when alpha is not 1",
         .source = "table",
         .lower = lower_rsub},
        {.schema = "mul.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"Mul"},
         .source = "spec",
         .lower = lower_binary},
        {.schema = "mul.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"Mul"},
         .lower = lower_binary},
        {.schema = "div.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"RealDiv"},
         .source = "spec",
         .lower = lower_binary_float},
        {.schema = "div.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"RealDiv"},
         .lower = lower_binary_float},
        {.schema = "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
         .launches = {"RealDiv", "FloorDiv", "TruncateDiv"},
         .note = "RealDiv, FloorDiv or TruncateDiv",
         .lower = lower_div_mode},
        {.schema = "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
         .launches = {"RealDiv", "FloorDiv", "TruncateDiv"},
         .note = "RealDiv, FloorDiv or TruncateDiv",
         .lower = lower_div_mode},
        {.schema = "floor_divide(Tensor self, Tensor other) -> Tensor",
         .launches = {"FloorDiv"},
         .source = "table",
         .lower = lower_binary},
        {.schema = "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"FloorDiv"},
         .source = "table",
         .lower = lower_binary},
        {.schema = "fmod.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"Mod"},
         .lower = lower_binary},
        {.schema = "fmod.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"Mod"},
         .lower = lower_binary},
        {.schema = "remainder.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"FloorMod"},
         .source = "table",
         .lower = lower_binary},
        {.schema = "remainder.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"FloorMod"},
         .source = "table",
         .lower = lower_binary},
        {.schema = "remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
         .launches = {"FloorMod"},
         .lower = lower_binary,
         .argument = "other"},
        {.schema = "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
         .launches = {"Pow"},
         .source = "table",
         .lower = lower_binary,
         .argument = "exponent"},
        {.schema = "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
         .launches = {"Pow"},
         .source = "table",
         .lower = lower_binary,
         .argument = "exponent"},
        {.schema = "pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
         .launches = {"Pow"},
         .source = "table",
         .lower = lower_binary,
         .argument = "exponent"},
    });
    return kRows;
}

}  // namespace npuscope::backend
