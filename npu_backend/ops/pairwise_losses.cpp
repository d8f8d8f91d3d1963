// Losses of a prediction and a target, and their gradients; negative log likelihood of images.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

std::string reduction_of(const Lowering& op) {
    constexpr auto kNames = std::to_array<const char*>({"none", "mean", "sum"});
    const int64_t code = op.integer("reduction");
    if (code < 0 || code > 2) op.reject("reduction must be 0 (none), 1 (mean) or 2 (sum)");
    return kNames[static_cast<size_t>(code)];
}

NamedValues with_reduction(const Lowering& op) {
    return {{"reduction", reduction_of(op)}};
}

/// The gradient, when there is one, the prediction, the target: in one dtype.
std::vector<Tensor> operands(Lowering& op, DType& dtype, bool gradient) {
    std::vector<Tensor> given = {op.raw("self"), op.raw("target")};
    dtype = result_type(given);
    std::vector<Tensor> tensors;
    if (gradient) tensors.push_back(op.cast(op.tensor("grad_output"), dtype));
    tensors.push_back(op.cast(op.tensor("self"), dtype));
    tensors.push_back(op.cast(op.tensor("target"), dtype));
    return tensors;
}

/// A missing weight is 1.
Tensor weight_or_one(Lowering& op, const char* name, DType dtype) {
    if (op.has(name)) return op.cast(op.tensor(name), dtype);
    return op.launch("OnesLike", {Tensor(op.numerics().held(dtype), {1})});
}

template <bool kGradient>
void lower_loss(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype, kGradient);
    op.result(op.launch(op.kernel(), std::move(tensors), with_reduction(op)), dtype);
}

/// The same with one number, which the row's argument names: `beta` is CANN's sigma.
template <bool kGradient>
void lower_loss_with(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype, kGradient);
    NamedValues attributes = with_reduction(op);
    const std::string name(op.argument());
    attributes.push_back({name == "beta" ? "sigma" : name, op.number(name)});
    op.result(op.launch(op.kernel(), std::move(tensors), std::move(attributes)), dtype);
}

template <bool kGradient>
void lower_cross_entropy(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype, kGradient);
    tensors.push_back(weight_or_one(op, "weight", dtype));
    op.result(op.launch(op.kernel(), std::move(tensors), with_reduction(op)), dtype);
}

void lower_logits(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype, false);
    tensors.push_back(weight_or_one(op, "weight", dtype));
    tensors.push_back(weight_or_one(op, "pos_weight", dtype));
    op.result(op.launch("SigmoidCrossEntropyWithLogitsV2", std::move(tensors), with_reduction(op)),
              dtype);
}

void lower_divergence(Lowering& op) {
    DType dtype{};
    std::vector<Tensor> tensors = operands(op, dtype, false);
    NamedValues attributes = with_reduction(op);
    attributes.push_back({"log_target", op.flag("log_target")});
    op.result(op.launch("KLDiv", std::move(tensors), std::move(attributes)), dtype);
}

/// [N, C, H, W] as one row a pixel: the classes last.
Tensor pixels_of(Lowering& op, const Tensor& images) {
    return op.computed("permute", {{"self", images}, {"dims", IntList{0, 2, 3, 1}}})
        .at(0)
        .reshaped({-1, images.dim(1)});
}

void require_images(const Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() != 4 ||
        op.raw("target").shape() != Shape{self.dim(0), self.dim(2), self.dim(3)})
        op.reject("self " + to_string(self.shape()) + " and target " +
                  to_string(op.raw("target").shape()) + " must be [N, C, H, W] and [N, H, W]");
}

Tensor class_weight(Lowering& op) {
    return op.has("weight")
               ? op.tensor("weight")
               : op.launch(
                     "OnesLike",
                     {Tensor(op.numerics().held(op.declared("self")), {op.raw("self").dim(1)})});
}

Tensor classes_of(Lowering& op) {
    const Tensor target = op.raw("target").reshaped({-1});
    return op.on_chip() ? op.cast(target, DType::kInt32) : target;
}

void lower_image_loss(Lowering& op) {
    require_images(op);
    NamedValues attributes = with_reduction(op);
    attributes.push_back({"ignore_index", op.integer("ignore_index")});
    const std::vector<Tensor> outputs =
        op.launch_all("NLLLoss",
                      {pixels_of(op, op.tensor("self")), classes_of(op), class_weight(op)},
                      std::move(attributes));
    if (outputs.size() != 2) op.reject("kernel NLLLoss must give y and total_weight");
    op.result(
        op.integer("reduction") == 0 ? outputs[0].reshaped(op.raw("target").shape()) : outputs[0],
        op.declared("self"));
    op.result(outputs[1], op.declared("self"));
}

void lower_image_loss_gradient(Lowering& op) {
    require_images(op);
    NamedValues attributes = with_reduction(op);
    attributes.push_back({"ignore_index", op.integer("ignore_index")});
    const Tensor self = op.tensor("self");
    const Tensor rows = op.launch("NLLLossGrad",
                                  {pixels_of(op, self),
                                   op.tensor("grad_output").reshaped({-1}),
                                   classes_of(op),
                                   class_weight(op),
                                   op.tensor("total_weight")},
                                  std::move(attributes));
    const Tensor images = rows.reshaped({self.dim(0), self.dim(2), self.dim(3), self.dim(1)});
    op.result(op.computed("permute", {{"self", images}, {"dims", IntList{0, 3, 1, 2}}}).at(0),
              op.declared("self"));
}

}  // namespace

std::span<const OpRow> pairwise_losses_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
         .launches = {"MseLoss"},
         .source = "table",
         .lower = lower_loss<false>},
        {.schema = "mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction) -> Tensor",
         .launches = {"MseLossGrad"},
         .source = "table",
         .lower = lower_loss<true>},
        {.schema = "l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
         .launches = {"LpLoss"},
         .source = "table",
         .lower = lower_loss<false>},
        {.schema = "smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> "
                   "Tensor",
         .launches = {"SmoothL1LossV2"},
         .source = "table",
         .lower = lower_loss_with<false>,
         .argument = "beta"},
        {.schema = "smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction, float beta) -> Tensor",
         .launches = {"SmoothL1LossGradV2"},
         .source = "table",
         .lower = lower_loss_with<true>,
         .argument = "beta"},
        {.schema =
             "huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor",
         .launches = {"HuberLoss"},
         .lower = lower_loss_with<false>,
         .argument = "delta"},
        {.schema = "huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction, float delta) -> Tensor",
         .launches = {"HuberLossGrad"},
         .lower = lower_loss_with<true>,
         .argument = "delta"},
        {.schema = "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int "
                   "reduction=1) -> Tensor",
         .launches = {"BinaryCrossEntropy", "OnesLike"},
         .note = "OnesLike for a missing weight; BinaryCrossEntropy",
         .source = "table",
         .lower = lower_cross_entropy<false>},
        {.schema = "binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, "
                   "Tensor? weight=None, int reduction=1) -> Tensor",
         .launches = {"BinaryCrossEntropyGrad", "OnesLike"},
         .note = "OnesLike for a missing weight; BinaryCrossEntropyGrad",
         .source = "table",
         .lower = lower_cross_entropy<true>},
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
         .lower = lower_loss<false>},
        {.schema = "soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                   "reduction) -> Tensor",
         .launches = {"SoftMarginLossGrad"},
         .source = "table",
         .lower = lower_loss<true>},
        {.schema = "nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, "
                   "int ignore_index) -> (Tensor output, Tensor total_weight)",
         .launches = {"Cast", "OnesLike", "NLLLoss"},
         .note = "Cast(target) to int32, OnesLike for a missing weight; NLLLoss, one row a pixel",
         .source = "table",
         .lower = lower_image_loss},
        {.schema = "nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
                   "weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor",
         .launches = {"Cast", "OnesLike", "NLLLossGrad"},
         .note =
             "Cast(target) to int32, OnesLike for a missing weight; NLLLossGrad, one row a pixel",
         .source = "table",
         .lower = lower_image_loss_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
