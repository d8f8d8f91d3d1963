// Element-wise arithmetic.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// Kernels of one input that integers have too.
template <const char* kKernel>
void lower_number(Lowering& op) {
    op.result(op.launch(kKernel, {op.tensor("self")}), op.declared("self"));
}

/// Kernels of one input that give floats.
template <const char* kKernel>
void lower_float(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(kKernel, {op.cast(op.tensor("self"), dtype)}), dtype);
}

void add(Lowering& op, const Operands& pair) {
    const double alpha = op.number("alpha");
    op.result(alpha == 1.0 ? op.launch("Add", {pair.self, pair.other})
                           : op.launch("Axpy", {pair.self, pair.other}, {{"alpha", alpha}}),
              pair.dtype);
}

void subtract(Lowering& op, Operands pair) {
    const double alpha = op.number("alpha");
    if (alpha != 1.0 && !is_float(pair.dtype)) {
        op.result(op.launch("Axpy", {pair.self, pair.other}, {{"alpha", -alpha}}), pair.dtype);
        return;
    }
    if (alpha != 1.0) pair.other = op.launch("Muls", {pair.other}, {{"value", alpha}});
    op.result(op.launch("Sub", {pair.self, pair.other}), pair.dtype);
}

void binary(Lowering& op, const char* kernel, const Operands& pair) {
    op.result(op.launch(kernel, {pair.self, pair.other}), pair.dtype);
}

void lower_add(Lowering& op) {
    add(op, common_operands(op, "self", "other"));
}

void lower_add_scalar(Lowering& op) {
    add(op, scalar_operands(op, "self", "other"));
}

void lower_sub(Lowering& op) {
    subtract(op, common_operands(op, "self", "other"));
}

void lower_sub_scalar(Lowering& op) {
    subtract(op, scalar_operands(op, "self", "other"));
}

template <const char* kKernel>
void lower_binary(Lowering& op) {
    binary(op, kKernel, common_operands(op, "self", "other"));
}

void lower_mul_scalar(Lowering& op) {
    binary(op, "Mul", scalar_operands(op, "self", "other"));
}

void lower_div(Lowering& op) {
    binary(op, "RealDiv", common_operands(op, "self", "other", true));
}

void lower_div_scalar(Lowering& op) {
    binary(op, "RealDiv", scalar_operands(op, "self", "other", true));
}

void lower_div_mode(Lowering& op) {
    if (!op.has("rounding_mode")) {
        lower_div(op);
        return;
    }
    const std::string& mode = op.text("rounding_mode");
    if (mode != "floor" && mode != "trunc") op.reject("rounding_mode must be 'floor' or 'trunc'");
    binary(op, mode == "floor" ? "FloorDiv" : "TruncateDiv", common_operands(op, "self", "other"));
}

void lower_pow_scalar(Lowering& op) {
    binary(op, "Pow", scalar_operands(op, "self", "exponent"));
}

void lower_pow_tensor(Lowering& op) {
    binary(op, "Pow", common_operands(op, "self", "exponent"));
}

constexpr char kRelu[] = "Relu";
constexpr char kNeg[] = "Neg";
constexpr char kAbs[] = "Abs";
constexpr char kFloor[] = "Floor";
constexpr char kCeil[] = "Ceil";
constexpr char kRound[] = "Round";
constexpr char kSqrt[] = "Sqrt";
constexpr char kRsqrt[] = "Rsqrt";
constexpr char kReciprocal[] = "Reciprocal";
constexpr char kExp[] = "Exp";
constexpr char kLog[] = "Log";
constexpr char kErf[] = "Erf";
constexpr char kSin[] = "Sin";
constexpr char kCos[] = "Cos";
constexpr char kMul[] = "Mul";
constexpr char kMaximum[] = "Maximum";
constexpr char kMinimum[] = "Minimum";

constexpr auto kRows = std::to_array<OpRow>({
    {"relu(Tensor self) -> Tensor", "Relu", "spec", lower_number<kRelu>},
    {"neg(Tensor self) -> Tensor", "Neg", "table", lower_number<kNeg>},
    {"abs(Tensor self) -> Tensor", "Abs", "table", lower_number<kAbs>},
    {"floor(Tensor self) -> Tensor", "Floor", "table", lower_number<kFloor>},
    {"ceil(Tensor self) -> Tensor", "Ceil", "table", lower_number<kCeil>},
    {"round(Tensor self) -> Tensor", "Round", "table", lower_number<kRound>},
    {"sqrt(Tensor self) -> Tensor", "Sqrt", "table", lower_float<kSqrt>},
    {"rsqrt(Tensor self) -> Tensor", "Rsqrt", "table", lower_float<kRsqrt>},
    {"reciprocal(Tensor self) -> Tensor", "Reciprocal", "table", lower_float<kReciprocal>},
    {"exp(Tensor self) -> Tensor", "Exp", "table", lower_float<kExp>},
    {"log(Tensor self) -> Tensor", "Log", "table", lower_float<kLog>},
    {"erf(Tensor self) -> Tensor", "Erf", "table", lower_float<kErf>},
    {"sin(Tensor self) -> Tensor", "Sin", "table", lower_float<kSin>},
    {"cos(Tensor self) -> Tensor", "Cos", "table", lower_float<kCos>},
    {"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     "Add, or Axpy when alpha is not 1",
     "spec",
     lower_add},
    {"add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     "as add_Tensor",
     "ours",
     lower_add_scalar},
    {"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     "Sub, after Muls(other, alpha) when alpha is not 1",
     "table",
     lower_sub},
    {"sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     "as sub_Tensor",
     "ours",
     lower_sub_scalar},
    {"mul.Tensor(Tensor self, Tensor other) -> Tensor", "Mul", "spec", lower_binary<kMul>},
    {"mul.Scalar(Tensor self, Scalar other) -> Tensor", "Mul", "ours", lower_mul_scalar},
    {"div.Tensor(Tensor self, Tensor other) -> Tensor", "RealDiv", "spec", lower_div},
    {"div.Scalar(Tensor self, Scalar other) -> Tensor", "RealDiv", "ours", lower_div_scalar},
    {"div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
     "RealDiv, FloorDiv or TruncateDiv",
     "ours",
     lower_div_mode},
    {"pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", "Pow", "table", lower_pow_scalar},
    {"pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "Pow", "table", lower_pow_tensor},
    {"maximum(Tensor self, Tensor other) -> Tensor", "Maximum", "ours", lower_binary<kMaximum>},
    {"minimum(Tensor self, Tensor other) -> Tensor", "Minimum", "ours", lower_binary<kMinimum>},
});

}  // namespace

extern const std::span<const OpRow> k_pointwise_ops;
const std::span<const OpRow> k_pointwise_ops = kRows;

}  // namespace npuscope::backend
