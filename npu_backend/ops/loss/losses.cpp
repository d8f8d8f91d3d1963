// Losses of a prediction and a target, and their gradients.
#include <array>
#include <string>

#include "npu_backend/ops/loss/loss_reduction.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// The gradient, when there is one, the prediction, the target: in one dtype.
std::vector<Tensor> operands(Lowering& op, DType& dtype) {
    std::vector<Tensor> given = {op.raw("self"), op.raw("target")};
    dtype = result_type(given);
    std::vector<Tensor> tensors;
    if (op.declares("grad_output")) tensors.push_back(op.cast(op.tensor("grad_output"), dtype));
    tensors.push_back(op.cast(op.tensor("self"), dtype));
    tensors.push_back(op.cast(op.tensor("target"), dtype));
    return tensors;
}

/// A missing weight is 1.
Tensor weight_or_one(Lowering& op, const char* name, DType dtype) {
    if (op.has(name)) return op.cast(op.tensor(name), dtype);
    return op.launch("OnesLike", {Tensor(op.numerics().held(dtype), {1})});
}

void lower_loss(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype);
    op.result(op.launch(op.kernel(), std::move(tensors), loss_reduction(op)), dtype);
}

/// The same with one number, which the row's argument names: `beta` is CANN's sigma.
void lower_loss_with(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype);
    NamedValues attributes = loss_reduction(op);
    const std::string name(op.argument());
    attributes.push_back({name == "beta" ? "sigma" : name, op.number(name)});
    op.result(op.launch(op.kernel(), std::move(tensors), std::move(attributes)), dtype);
}

void lower_cross_entropy(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype);
    tensors.push_back(weight_or_one(op, "weight", dtype));
    op.result(op.launch(op.kernel(), std::move(tensors), loss_reduction(op)), dtype);
}

void lower_logits(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype);
    tensors.push_back(weight_or_one(op, "weight", dtype));
    tensors.push_back(weight_or_one(op, "pos_weight", dtype));
    op.result(op.launch("SigmoidCrossEntropyWithLogitsV2", std::move(tensors), loss_reduction(op)),
              dtype);
}

void lower_divergence(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype);
    NamedValues attributes = loss_reduction(op);
    attributes.push_back({"log_target", op.flag("log_target")});
    op.result(op.launch("KLDiv", std::move(tensors), std::move(attributes)), dtype);
}

}  // namespace

std::span<const OpRow> losses_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
         .launches = {"MseLoss"},
         .source = "table",
         .lower = lower_loss},
        {.schema = "mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction) -> Tensor",
         .launches = {"MseLossGrad"},
         .source = "table",
         .lower = lower_loss},
        {.schema = "l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
         .launches = {"LpLoss"},
         .source = "table",
         .lower = lower_loss},
        {.schema = "smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> "
                   "Tensor",
         .launches = {"SmoothL1LossV2"},
         .source = "table",
         .lower = lower_loss_with,
         .argument = "beta"},
        {.schema = "smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction, float beta) -> Tensor",
         .launches = {"SmoothL1LossGradV2"},
         .source = "table",
         .lower = lower_loss_with,
         .argument = "beta"},
        {.schema =
             "huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor",
         .launches = {"HuberLoss"},
         .lower = lower_loss_with,
         .argument = "delta"},
        {.schema = "huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction, float delta) -> Tensor",
         .launches = {"HuberLossGrad"},
         .lower = lower_loss_with,
         .argument = "delta"},
        {.schema = "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int "
                   "reduction=1) -> Tensor",
         .launches = {"BinaryCrossEntropy", "OnesLike"},
         .note = "OnesLike for a missing weight; BinaryCrossEntropy",
         .source = "table",
         .lower = lower_cross_entropy},
        {.schema = "binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, "
                   "Tensor? weight=None, int reduction=1) -> Tensor",
         .launches = {"BinaryCrossEntropyGrad", "OnesLike"},
         .note = "OnesLike for a missing weight; BinaryCrossEntropyGrad",
         .source = "table",
         .lower = lower_cross_entropy},
        {.schema = "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? "
                   "weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor",
         .launches = {"OnesLike", "SigmoidCrossEntropyWithLogitsV2"},
         .note = "OnesLike for missing weights; SigmoidCrossEntropyWithLogitsV2",
         .source = "table",
         .lower = lower_logits},
        {.schema = "kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) "
                   "-> Tensor",
         .launches = {"KLDiv"},
         .source = "table",
         .lower = lower_divergence},
        {.schema = "soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
         .launches = {"SoftMarginLoss"},
         .source = "table",
         .lower = lower_loss},
        {.schema = "soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction) -> Tensor",
         .launches = {"SoftMarginLossGrad"},
         .source = "table",
         .lower = lower_loss},
    });
    return kRows;
}

}  // namespace npuscope::backend
