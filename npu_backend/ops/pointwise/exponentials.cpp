// Exponentials, logarithms, roots, and functions made of them.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

template <int kBase>
void lower_log(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(
        op.launch(
            "Log", {op.cast(op.tensor("self"), dtype)}, {{"base", static_cast<double>(kBase)}}),
        dtype);
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

}  // namespace

std::span<const OpRow> exponentials_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "exp(Tensor self) -> Tensor",
         .launches = {"Exp"},
         .source = "table",
         .lower = lower_float},
        {.schema = "exp2(Tensor self) -> Tensor", .launches = {"Exp2"}, .lower = lower_float},
        {.schema = "expm1(Tensor self) -> Tensor",
         .launches = {"Expm1"},
         .source = "table",
         .lower = lower_float},
        {.schema = "log(Tensor self) -> Tensor",
         .launches = {"Log"},
         .source = "table",
         .lower = lower_float},
        {.schema = "log1p(Tensor self) -> Tensor",
         .launches = {"Log1p"},
         .source = "table",
         .lower = lower_float},
        {.schema = "log2(Tensor self) -> Tensor",
         .launches = {"Log"},
         .source = "table",
         .lower = lower_log<2>},
        {.schema = "log10(Tensor self) -> Tensor",
         .launches = {"Log"},
         .source = "table",
         .lower = lower_log<10>},
        {.schema = "sqrt(Tensor self) -> Tensor",
         .launches = {"Sqrt"},
         .source = "table",
         .lower = lower_float},
        {.schema = "rsqrt(Tensor self) -> Tensor",
         .launches = {"Rsqrt"},
         .source = "table",
         .lower = lower_float},
        {.schema = "erf(Tensor self) -> Tensor",
         .launches = {"Erf"},
         .source = "table",
         .lower = lower_float},
        {.schema = "erfc(Tensor self) -> Tensor",
         .launches = {"Erfc"},
         .source = "table",
         .lower = lower_float},
        {.schema = "erfinv(Tensor self) -> Tensor",
         .launches = {"Erfinv"},
         .source = "table",
         .lower = lower_float},
        {.schema = "logit(Tensor self, float? eps=None) -> Tensor",
         .launches = {"Logit"},
         .lower = lower_logit},
        {.schema = "logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
         .launches = {"LogitGrad"},
         .lower = lower_logit_gradient},
        {.schema = "xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"Xlogy"},
         .lower = lower_binary_float},
        {.schema = "logaddexp(Tensor self, Tensor other) -> Tensor",
         .launches = {"LogAddExp"},
         .lower = lower_binary},
        {.schema = "hypot(Tensor self, Tensor other) -> Tensor",
         .launches = {"Hypot"},
         .lower = lower_binary},
    });
    return kRows;
}

}  // namespace npuscope::backend
