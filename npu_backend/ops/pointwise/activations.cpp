// Activation functions.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

void activate(Lowering& op, NamedValues attributes = {}) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(op.kernel(), {op.cast(op.tensor("self"), dtype)}, std::move(attributes)),
              dtype);
}

void lower_gelu(Lowering& op) {
    const std::string& form = op.text("approximate");
    if (form != "none" && form != "tanh") op.reject("approximate must be 'none' or 'tanh'");
    activate(op, {{"approximate", form}});
}

void lower_silu(Lowering& op) {
    activate(op, {{"scale", 1.0}});
}

void lower_leaky_relu(Lowering& op) {
    activate(op, {{"negative_slope", op.number("negative_slope")}});
}

void lower_elu(Lowering& op) {
    activate(op,
             {{"alpha", op.number("alpha")},
              {"scale", op.number("scale")},
              {"input_scale", op.number("input_scale")}});
}

/// The kernel knows no beta, and no threshold: above 20 it is the identity in float32 anyway.
void lower_softplus(Lowering& op) {
    const double beta = op.number("beta");
    if (op.number("threshold") < 20) op.reject("a threshold below 20 is not supported");
    Tensor x = op.tensor("self");
    if (beta != 1) x = op.launch("Muls", {x}, {{"value", beta}});
    x = op.launch("SoftplusV2", {x});
    if (beta != 1) x = op.launch("Muls", {x}, {{"value", 1 / beta}});
    op.result(x, op.declared("self"));
}

/// On a CPU and here the second result is scratch that only the CPU's gradient reads.
void lower_log_sigmoid(Lowering& op) {
    const DType dtype = op.declared("self");
    op.result(op.launch("LogSigmoid", {op.tensor("self")}), dtype);
    op.result(Tensor(op.numerics().held(dtype), {0}), dtype);
}

void activate_float(Lowering& op, NamedValues attributes = {}) {
    const DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    op.result(op.launch(op.kernel(), {op.tensor("self")}, std::move(attributes)), dtype);
}

void lower_float_activation(Lowering& op) {
    activate_float(op);
}

void lower_celu(Lowering& op) {
    if (op.number("alpha") == 0) op.reject("alpha must not be 0");
    activate_float(op, {{"alpha", op.number("alpha")}});
}

void lower_shrink(Lowering& op) {
    activate_float(op, {{"lambd", op.number("lambd")}});
}

void lower_threshold(Lowering& op) {
    activate_float(op, {{"threshold", op.number("threshold")}, {"value", op.number("value")}});
}

}  // namespace

std::span<const OpRow> activations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "relu(Tensor self) -> Tensor",
         .launches = {"Relu"},
         .source = "spec",
         .lower = lower_unary},
        {.schema = "tanh(Tensor self) -> Tensor",
         .launches = {"Tanh"},
         .source = "table",
         .lower = lower_float},
        {.schema = "sigmoid(Tensor self) -> Tensor",
         .launches = {"Sigmoid"},
         .source = "table",
         .lower = lower_float},
        {.schema = "gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
         .launches = {"Gelu"},
         .note = "Gelu, in its tanh form whatever was asked",
         .source = "table",
         .lower = lower_gelu,
         .chip_form = "approximate=tanh"},
        {.schema = "silu(Tensor self) -> Tensor", .launches = {"Swish"}, .lower = lower_silu},
        {.schema = "hardsigmoid(Tensor self) -> Tensor",
         .launches = {"HardSigmoid"},
         .source = "table",
         .lower = lower_float},
        {.schema = "hardswish(Tensor self) -> Tensor",
         .launches = {"HardSwish"},
         .lower = lower_float},
        {.schema = "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
         .launches = {"LeakyRelu"},
         .source = "table",
         .lower = lower_leaky_relu},
        {.schema =
             "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
         .launches = {"Elu"},
         .source = "table",
         .lower = lower_elu},
        {.schema = "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
         .launches = {"SoftplusV2", "Muls"},
         .note = "SoftplusV2; Muls around it when beta is not 1",
         .source = "table",
         .lower = lower_softplus},
        {.schema = "log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
         .launches = {"LogSigmoid"},
         .note = "LogSigmoid; the buffer is empty",
         .source = "table",
         .lower = lower_log_sigmoid},
        {.schema = "mish(Tensor self) -> Tensor",
         .launches = {"Mish"},
         .lower = lower_float_activation},
        {.schema = "selu(Tensor self) -> Tensor",
         .launches = {"Selu"},
         .source = "table",
         .lower = lower_float_activation},
        {.schema = "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
         .launches = {"Celu"},
         .source = "table",
         .lower = lower_celu},
        {.schema = "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
         .launches = {"HardShrink"},
         .source = "table",
         .lower = lower_shrink},
        {.schema = "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
         .launches = {"SoftShrink"},
         .source = "table",
         .lower = lower_shrink},
        {.schema = "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
         .launches = {"ThresholdV2D"},
         .source = "table",
         .lower = lower_threshold},
    });
    return kRows;
}

}  // namespace npuscope::backend
