// Element-wise functions beside the arithmetic ones, and forms of these with a number.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

template <const char* kKernel>
void lower_float(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(kKernel, {op.cast(op.tensor("self"), dtype)}), dtype);
}

template <int kBase>
void lower_log(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(
        op.launch(
            "Log", {op.cast(op.tensor("self"), dtype)}, {{"base", static_cast<double>(kBase)}}),
        dtype);
}

void lower_trunc(Lowering& op) {
    op.result(op.launch("Trunc", {op.tensor("self")}), op.declared("self"));
}

void lower_frac(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch("Sub", {x, op.launch("Trunc", {x})}), op.declared("self"));
}

void lower_square(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch("Mul", {x, x}), op.declared("self"));
}

/// other - alpha self.
void reversed(Lowering& op, const Operands& pair) {
    Tensor self = pair.self;
    if (const double alpha = op.number("alpha"); alpha != 1.0) {
        if (!is_float(pair.dtype)) {
            op.result(op.launch("Axpy", {pair.other, self}, {{"alpha", -alpha}}), pair.dtype);
            return;
        }
        self = op.launch("Muls", {self}, {{"value", alpha}});
    }
    op.result(op.launch("Sub", {pair.other, self}), pair.dtype);
}

void lower_rsub(Lowering& op) {
    reversed(op, common_operands(op, "self", "other"));
}

void lower_rsub_scalar(Lowering& op) {
    reversed(op, scalar_operands(op, "self", "other"));
}

/// A number first, a tensor second.
template <const char* kKernel, const char* kTensor>
void lower_number_first(Lowering& op) {
    const Operands pair = scalar_operands(op, kTensor, "self");
    op.result(op.launch(kKernel, {pair.other, pair.self}), pair.dtype);
}

template <const char* kKernel>
void lower_binary_scalar(Lowering& op) {
    const Operands pair = scalar_operands(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

template <const char* kKernel>
void lower_binary(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

template <const char* kKernel>
void lower_binary_float(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other", true);
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

void lower_div_scalar_mode(Lowering& op) {
    if (!op.has("rounding_mode")) {
        const Operands pair = scalar_operands(op, "self", "other", true);
        op.result(op.launch("RealDiv", {pair.self, pair.other}), pair.dtype);
        return;
    }
    const std::string& mode = op.text("rounding_mode");
    if (mode != "floor" && mode != "trunc") op.reject("rounding_mode must be 'floor' or 'trunc'");
    const Operands pair = scalar_operands(op, "self", "other");
    op.result(op.launch(mode == "floor" ? "FloorDiv" : "TruncateDiv", {pair.self, pair.other}),
              pair.dtype);
}

/// The number that is not nan.
template <const char* kKernel>
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
    op.result(op.launch(kKernel, {a, b}), pair.dtype);
}

NamedValues limits(const Lowering& op) {
    NamedValues attributes;
    if (op.has("eps")) attributes.push_back({"eps", op.number("eps")});
    return attributes;
}

void lower_logit(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch("Logit", {op.cast(op.tensor("self"), dtype)}, limits(op)), dtype);
}

void lower_logit_gradient(Lowering& op) {
    const Operands pair = common_operands(op, "grad_output", "self");
    op.result(op.launch("LogitGrad", {pair.self, pair.other}, limits(op)), pair.dtype);
}

void lower_sgn(Lowering& op) {
    op.result(op.launch("Sign", {op.tensor("self")}), op.declared("self"));
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

constexpr char kExpm1[] = "Expm1";
constexpr char kExp2[] = "Exp2";
constexpr char kLog1p[] = "Log1p";
constexpr char kErfc[] = "Erfc";
constexpr char kErfinv[] = "Erfinv";
constexpr char kAtan2[] = "Atan2";
constexpr char kXlogy[] = "Xlogy";
constexpr char kHypot[] = "Hypot";
constexpr char kLogAddExp[] = "LogAddExp";
constexpr char kMod[] = "Mod";
constexpr char kFloorMod[] = "FloorMod";
constexpr char kFloorDiv[] = "FloorDiv";
constexpr char kPow[] = "Pow";
constexpr char kMaximum[] = "Maximum";
constexpr char kMinimum[] = "Minimum";
constexpr char kExponent[] = "exponent";
constexpr char kOther[] = "other";

constexpr auto kRows = std::to_array<OpRow>({
    {"expm1(Tensor self) -> Tensor", "Expm1", "table", lower_float<kExpm1>},
    {"exp2(Tensor self) -> Tensor", "Exp2", "ours", lower_float<kExp2>},
    {"log1p(Tensor self) -> Tensor", "Log1p", "table", lower_float<kLog1p>},
    {"log2(Tensor self) -> Tensor", "Log", "table", lower_log<2>},
    {"log10(Tensor self) -> Tensor", "Log", "table", lower_log<10>},
    {"erfc(Tensor self) -> Tensor", "Erfc", "table", lower_float<kErfc>},
    {"erfinv(Tensor self) -> Tensor", "Erfinv", "table", lower_float<kErfinv>},
    {"trunc(Tensor self) -> Tensor", "Trunc", "table", lower_trunc},
    {"frac(Tensor self) -> Tensor", "Trunc, Sub", "indirect", lower_frac},
    {"square(Tensor self) -> Tensor", "Mul", "ours", lower_square},
    {"rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     "Sub, after Muls(self, alpha) when alpha is not 1",
     "table",
     lower_rsub},
    {"rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     "Sub, after Muls(self, alpha) when alpha is not 1",
     "table",
     lower_rsub_scalar},
    {"pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
     "Pow",
     "table",
     lower_number_first<kPow, kExponent>},
    {"atan2(Tensor self, Tensor other) -> Tensor", "Atan2", "table", lower_binary_float<kAtan2>},
    {"sgn(Tensor self) -> Tensor", "Sign", "ours", lower_sgn},
    {"xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
     "Xlogy",
     "ours",
     lower_binary_float<kXlogy>},
    {"logit(Tensor self, float? eps=None) -> Tensor", "Logit", "ours", lower_logit},
    {"logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
     "LogitGrad",
     "ours",
     lower_logit_gradient},
    {"hypot(Tensor self, Tensor other) -> Tensor", "Hypot", "ours", lower_binary<kHypot>},
    {"logaddexp(Tensor self, Tensor other) -> Tensor",
     "LogAddExp",
     "ours",
     lower_binary<kLogAddExp>},
    {"fmax(Tensor self, Tensor other) -> Tensor",
     "IsNan, SelectV2 of each, Maximum; integers Maximum",
     "ours",
     lower_numeric_extreme<kMaximum>},
    {"fmin(Tensor self, Tensor other) -> Tensor",
     "IsNan, SelectV2 of each, Minimum; integers Minimum",
     "ours",
     lower_numeric_extreme<kMinimum>},
    {"fmod.Scalar(Tensor self, Scalar other) -> Tensor", "Mod", "ours", lower_binary_scalar<kMod>},
    {"remainder.Scalar(Tensor self, Scalar other) -> Tensor",
     "FloorMod",
     "table",
     lower_binary_scalar<kFloorMod>},
    {"remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
     "FloorMod",
     "ours",
     lower_number_first<kFloorMod, kOther>},
    {"floor_divide(Tensor self, Tensor other) -> Tensor",
     "FloorDiv",
     "table",
     lower_binary<kFloorDiv>},
    {"floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
     "FloorDiv",
     "table",
     lower_binary_scalar<kFloorDiv>},
    {"div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
     "RealDiv, FloorDiv or TruncateDiv",
     "ours",
     lower_div_scalar_mode},
    {"nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
     "NanToNum",
     "ours",
     lower_nan_to_num},
});

}  // namespace

extern const std::span<const OpRow> k_functions_ops;
const std::span<const OpRow> k_functions_ops = kRows;

}  // namespace npuscope::backend
