// Negative log likelihood, of rows and of images.
#include <algorithm>
#include <array>
#include <string>

#include "npu_backend/ops/loss/loss_reduction.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

NamedValues nll_attributes(const Lowering& op) {
    NamedValues attributes = loss_reduction(op);
    attributes.push_back({"ignore_index", op.integer("ignore_index")});
    return attributes;
}

/// One sample as a batch of one.
Tensor rows_of(const Lowering& op, const Tensor& self) {
    if (self.ndim() != 1 && self.ndim() != 2) op.reject("self must have 1 or 2 dimensions");
    return self.ndim() == 2 ? self : self.reshaped({1, self.dim(0)});
}

/// The adapter gives the operator int32.
Tensor target_of(Lowering& op) {
    const Tensor target = op.raw("target").reshaped({-1});
    return op.on_chip() ? op.cast(target, DType::kInt32) : target;
}

Tensor weight_of(Lowering& op, const Tensor& rows) {
    return op.has("weight") ? op.tensor("weight")
                            : op.launch("OnesLike", {Tensor(rows.dtype(), {rows.dim(1)})});
}

void lower_nll_loss(Lowering& op) {
    const Tensor rows = rows_of(op, op.tensor("self"));
    const std::vector<Tensor> outputs =
        op.launch_all("NLLLoss", {rows, target_of(op), weight_of(op, rows)}, nll_attributes(op));
    if (outputs.size() != 2) op.reject("kernel NLLLoss must give y and total_weight");
    const bool single = op.raw("self").ndim() == 1;
    op.result(single ? outputs[0].reshaped({}) : outputs[0], op.declared("self"));
    op.result(outputs[1], op.declared("self"));
}

void lower_nll_loss_backward(Lowering& op) {
    const Tensor rows = rows_of(op, op.tensor("self"));
    const Tensor gradient = op.launch("NLLLossGrad",
                                      {rows,
                                       op.tensor("grad_output").reshaped({-1}),
                                       target_of(op),
                                       weight_of(op, rows),
                                       op.tensor("total_weight")},
                                      nll_attributes(op));
    op.result(gradient.reshaped(op.raw("self").shape()), op.declared("self"));
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

void lower_image_loss(Lowering& op) {
    require_images(op);
    const Tensor rows = pixels_of(op, op.tensor("self"));
    const std::vector<Tensor> outputs =
        op.launch_all("NLLLoss", {rows, target_of(op), weight_of(op, rows)}, nll_attributes(op));
    if (outputs.size() != 2) op.reject("kernel NLLLoss must give y and total_weight");
    op.result(
        op.integer("reduction") == 0 ? outputs[0].reshaped(op.raw("target").shape()) : outputs[0],
        op.declared("self"));
    op.result(outputs[1], op.declared("self"));
}

void lower_image_loss_gradient(Lowering& op) {
    require_images(op);
    const Tensor self = op.tensor("self");
    const Tensor rows = pixels_of(op, self);
    const Tensor gradient = op.launch("NLLLossGrad",
                                      {rows,
                                       op.tensor("grad_output").reshaped({-1}),
                                       target_of(op),
                                       weight_of(op, rows),
                                       op.tensor("total_weight")},
                                      nll_attributes(op));
    const Tensor images = gradient.reshaped({self.dim(0), self.dim(2), self.dim(3), self.dim(1)});
    op.result(op.computed("permute", {{"self", images}, {"dims", IntList{0, 3, 1, 2}}}).at(0),
              op.declared("self"));
}

/// The likelihood of the softmax: of rows, or of images whatever their dimensions.
void lower_cross_entropy_loss(Lowering& op) {
    const Tensor& self = op.raw("self");
    const Tensor& target = op.raw("target");
    if (op.number("label_smoothing") != 0 || is_float(target.dtype()))
        op.reject("shares of classes as the target, and label_smoothing, are not computed");
    const bool images = self.ndim() > 2;
    Tensor likelihood = op.computed("_log_softmax",
                                    {{"self", self},
                                     {"dim", int64_t{self.ndim() == 1 ? 0 : 1}},
                                     {"half_to_float", false}})
                            .at(0);
    Tensor classes = target;
    if (images) {
        const int64_t pixels = self.numel() / std::max<int64_t>(1, self.dim(0) * self.dim(1));
        likelihood = likelihood.reshaped({self.dim(0), self.dim(1), 1, pixels});
        classes = classes.reshaped({self.dim(0), 1, pixels});
    }
    const Tensor loss = op.computed(images ? "nll_loss2d_forward" : "nll_loss_forward",
                                    {{"self", likelihood},
                                     {"target", classes},
                                     {"weight", op.given("weight")},
                                     {"reduction", op.integer("reduction")},
                                     {"ignore_index", op.integer("ignore_index")}})
                            .at(0);
    op.result(op.integer("reduction") == 0 ? loss.reshaped(target.shape()) : loss,
              op.declared("self"));
}

}  // namespace

std::span<const OpRow> nll_losses_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, "
                   "int ignore_index) -> (Tensor output, Tensor total_weight)",
         .launches = {"Cast", "OnesLike", "NLLLoss"},
         .note = "Cast(target) to int32, OnesLike for a missing weight; NLLLoss",
         .source = "spec",
         .lower = lower_nll_loss},
        {.schema = "nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
                   "weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor",
         .launches = {"Cast", "OnesLike", "NLLLossGrad"},
         .note = "Cast(target) to int32, OnesLike for a missing weight; NLLLossGrad",
         .source = "spec",
         .lower = lower_nll_loss_backward},
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
        {.schema = "cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int "
                   "reduction=1, int ignore_index=-100, float label_smoothing=0.0) -> Tensor",
         .launches = {"LogSoftmaxV2", "Cast", "OnesLike", "NLLLoss"},
         .note = "as _log_softmax and nll_loss_forward",
         .lower = lower_cross_entropy_loss},
    });
    return kRows;
}

}  // namespace npuscope::backend
