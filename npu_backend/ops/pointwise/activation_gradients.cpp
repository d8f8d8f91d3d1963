// Gradients of activation functions.
#include <array>

#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void lower_threshold_backward(Lowering& op) {
    const Operands pair = common_operands(op, "grad_output", "self");
    const double threshold = op.number("threshold");
    op.result(
        threshold == 0.0
            ? op.launch("ReluGrad", {pair.self, pair.other})
            : op.launch("ThresholdGradV2D", {pair.self, pair.other}, {{"threshold", threshold}}),
        pair.dtype);
}

/// The row's argument is what the function read, or what it gave.
void lower_activation_gradient(Lowering& op) {
    const Operands pair = common_operands(op, "grad_output", op.argument());
    op.result(op.launch(op.kernel(), {pair.self, pair.other}), pair.dtype);
}

/// The gradient of a function of self with these attributes.
void give_gradient(Lowering& op, NamedValues attributes, std::string_view other = "self") {
    const Operands pair = common_operands(op, "grad_output", other);
    op.result(op.launch(op.kernel(), {pair.self, pair.other}, std::move(attributes)), pair.dtype);
}

void lower_gelu_gradient(Lowering& op) {
    const std::string& form = op.text("approximate");
    if (form != "none" && form != "tanh") op.reject("approximate must be 'none' or 'tanh'");
    give_gradient(op, {{"approximate", form}});
}

/// The sign of the result is the sign of self for a slope that is not negative.
void lower_leaky_relu_gradient(Lowering& op) {
    const double slope = op.number("negative_slope");
    if (op.flag("self_is_result") && slope < 0)
        op.reject("a negative slope needs self, not the result");
    give_gradient(op, {{"negative_slope", slope}});
}

void lower_elu_gradient(Lowering& op) {
    give_gradient(op,
                  {{"alpha", op.number("alpha")},
                   {"scale", op.number("scale")},
                   {"input_scale", op.number("input_scale")},
                   {"is_result", op.flag("is_result")}},
                  "self_or_result");
}

void lower_hardtanh_gradient(Lowering& op) {
    give_gradient(op, {{"min_val", op.number("min_val")}, {"max_val", op.number("max_val")}});
}

void lower_softplus_gradient(Lowering& op) {
    give_gradient(op, {{"beta", op.number("beta")}, {"threshold", op.number("threshold")}});
}

/// The row's argument is the gradient's name.
void lower_shrink_gradient(Lowering& op) {
    const Operands pair = common_operands(op, op.argument(), "self");
    op.result(op.launch(op.kernel(), {pair.self, pair.other}, {{"lambd", op.number("lambd")}}),
              pair.dtype);
}

}  // namespace

std::span<const OpRow> activation_gradients_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
         .launches = {"ReluGrad", "ThresholdGradV2D"},
         .note = "ReluGrad for threshold 0, else ThresholdGradV2D",
         .source = "spec",
         .lower = lower_threshold_backward},
        {.schema = "tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
         .launches = {"TanhGrad"},
         .source = "table",
         .lower = lower_activation_gradient,
         .argument = "output"},
        {.schema = "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
         .launches = {"SigmoidGrad"},
         .source = "table",
         .lower = lower_activation_gradient,
         .argument = "output"},
        {.schema = "silu_backward(Tensor grad_output, Tensor self) -> Tensor",
         .launches = {"SwishGrad"},
         .lower = lower_activation_gradient,
         .argument = "self"},
        {.schema = "gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> "
                   "Tensor",
         .launches = {"GeluGrad"},
         .note = "GeluGrad, in its tanh form whatever was asked",
         .source = "table",
         .lower = lower_gelu_gradient,
         .chip_form = "approximate=tanh"},
        {.schema = "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, "
                   "bool self_is_result) -> Tensor",
         .launches = {"LeakyReluGrad"},
         .source = "table",
         .lower = lower_leaky_relu_gradient},
        {.schema = "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar "
                   "input_scale, bool is_result, Tensor self_or_result) -> Tensor",
         .launches = {"EluGradV2"},
         .source = "table",
         .lower = lower_elu_gradient},
        {.schema = "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar "
                   "max_val) -> Tensor",
         .launches = {"HardtanhGrad"},
         .source = "table",
         .lower = lower_hardtanh_gradient},
        {.schema = "hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
         .launches = {"HardSwishGrad"},
         .lower = lower_activation_gradient,
         .argument = "self"},
        {.schema = "hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
         .launches = {"HardSigmoidGrad"},
         .source = "table",
         .lower = lower_activation_gradient,
         .argument = "self"},
        {.schema = "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar "
                   "threshold) -> Tensor",
         .launches = {"SoftplusV2Grad"},
         .source = "table",
         .lower = lower_softplus_gradient},
        {.schema = "log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
         .launches = {"LogSigmoidGrad"},
         .source = "table",
         .lower = lower_activation_gradient,
         .argument = "self"},
        {.schema = "mish_backward(Tensor grad_output, Tensor self) -> Tensor",
         .launches = {"MishGrad"},
         .lower = lower_activation_gradient,
         .argument = "self"},
        {.schema = "hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
         .launches = {"HardShrinkGrad"},
         .source = "table",
         .lower = lower_shrink_gradient,
         .argument = "grad_out"},
        {.schema = "softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
         .launches = {"SoftShrinkGrad"},
         .source = "table",
         .lower = lower_shrink_gradient,
         .argument = "grad_output"},
    });
    return kRows;
}

}  // namespace npuscope::backend
