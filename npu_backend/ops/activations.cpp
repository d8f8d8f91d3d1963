// Activation functions and softmax.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void activate(Lowering& op, const char* kernel, NamedValues attributes = {}) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(kernel, {op.cast(op.tensor("self"), dtype)}, std::move(attributes)), dtype);
}

void lower_tanh(Lowering& op) {
    activate(op, "Tanh");
}

void lower_sigmoid(Lowering& op) {
    activate(op, "Sigmoid");
}

void lower_gelu(Lowering& op) {
    const std::string& form = op.text("approximate");
    if (form != "none" && form != "tanh") op.reject("approximate must be 'none' or 'tanh'");
    activate(op, "Gelu", {{"approximate", form}});
}

void lower_silu(Lowering& op) {
    activate(op, "Swish", {{"scale", 1.0}});
}

void lower_hardsigmoid(Lowering& op) {
    activate(op, "HardSigmoid");
}

void lower_hardswish(Lowering& op) {
    activate(op, "HardSwish");
}

void lower_leaky_relu(Lowering& op) {
    activate(op, "LeakyRelu", {{"negative_slope", op.number("negative_slope")}});
}

void lower_elu(Lowering& op) {
    activate(op,
             "Elu",
             {{"alpha", op.number("alpha")},
              {"scale", op.number("scale")},
              {"input_scale", op.number("input_scale")}});
}

void softmax(Lowering& op, const char* kernel) {
    DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    if (op.flag("half_to_float")) dtype = DType::kFloat32;
    const int64_t axis = normalized_axis(op.integer("dim"), op.raw("self").ndim());
    Tensor x = op.cast(op.tensor("self"), dtype);
    op.result(op.launch(kernel, {std::move(x)}, {{"axes", IntList{axis}}}), dtype);
}

void lower_softmax(Lowering& op) {
    softmax(op, "SoftmaxV2");
}

void lower_log_softmax(Lowering& op) {
    softmax(op, "LogSoftmaxV2");
}

constexpr auto kRows = std::to_array<OpRow>({
    {"tanh(Tensor self) -> Tensor", "Tanh", "table", lower_tanh},
    {"sigmoid(Tensor self) -> Tensor", "Sigmoid", "table", lower_sigmoid},
    {"gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
     "Gelu, in its tanh form whatever was asked",
     "table",
     lower_gelu},
    {"silu(Tensor self) -> Tensor", "Swish", "ours", lower_silu},
    {"hardsigmoid(Tensor self) -> Tensor", "HardSigmoid", "table", lower_hardsigmoid},
    {"hardswish(Tensor self) -> Tensor", "HardSwish", "ours", lower_hardswish},
    {"leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
     "LeakyRelu",
     "table",
     lower_leaky_relu},
    {"elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
     "Elu",
     "table",
     lower_elu},
    {"_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
     "SoftmaxV2, after Cast when half_to_float",
     "spec",
     lower_softmax},
    {"_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
     "LogSoftmaxV2, after Cast when half_to_float",
     "spec",
     lower_log_softmax},
});

}  // namespace

extern const std::span<const OpRow> k_activations_ops;
const std::span<const OpRow> k_activations_ops = kRows;

}  // namespace npuscope::backend
