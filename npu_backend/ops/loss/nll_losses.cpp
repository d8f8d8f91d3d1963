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

enum class Reduction : uint8_t { kNone, kMean, kSum };

Tensor first_of(Lowering& op, std::string_view name, NamedValues arguments) {
    return op.computed(name, std::move(arguments)).at(0);
}

Tensor product(Lowering& op, const Tensor& self, const Tensor& other) {
    return first_of(op, "mul_Tensor", {{"self", self}, {"other", other}});
}

Tensor scaled(Lowering& op, const Tensor& self, double factor) {
    const Scalar other{factor};
    return first_of(op, "mul_Scalar", {{"self", self}, {"other", other}});
}

Tensor sum_of(Lowering& op, const Tensor& self) {
    return first_of(op, "sum", {{"self", self}});
}

int64_t class_axis(const Tensor& self) {
    return self.ndim() == 1 ? 0 : 1;
}

/// A number a class, in the place where `self` has its classes.
Tensor by_class(const Tensor& classes, const Tensor& self) {
    Shape shape(self.shape().size(), 1);
    shape[static_cast<size_t>(class_axis(self))] = classes.numel();
    return classes.reshaped(shape);
}

Tensor weighted(Lowering& op, const Tensor& likelihood) {
    if (!op.has("weight")) return likelihood;
    return product(op, likelihood, by_class(op.tensor("weight"), likelihood));
}

/// Of every place the negative sum over its classes.
Tensor over_classes(Lowering& op, const Tensor& likelihood) {
    const IntList dim = {class_axis(likelihood)};
    return first_of(
        op,
        "neg",
        {{"self", first_of(op, "sum_dim_IntList", {{"self", likelihood}, {"dim", dim}})}});
}

/// The target is a share of each class.
Tensor loss_by_shares(Lowering& op, const Tensor& likelihood, double smoothing) {
    Tensor shares = op.tensor("target");
    const auto classes = static_cast<double>(likelihood.dim(class_axis(likelihood)));
    if (smoothing != 0) {
        const Scalar other{smoothing / classes};
        shares = first_of(
            op, "add_Scalar", {{"self", scaled(op, shares, 1 - smoothing)}, {"other", other}});
    }
    const Tensor terms = weighted(op, product(op, likelihood, shares));
    const auto reduction = static_cast<Reduction>(op.integer("reduction"));
    if (reduction == Reduction::kNone) return over_classes(op, terms);
    Tensor sum = first_of(op, "neg", {{"self", sum_of(op, terms)}});
    if (reduction == Reduction::kSum) return sum;
    const Scalar places{static_cast<double>(likelihood.numel()) / classes};
    return first_of(op, "div_Scalar", {{"self", sum}, {"other", places}});
}

/// 1 where a target counts, else 0.
Tensor counted(const Lowering& op, DType dtype) {
    const Tensor& target = op.raw("target");
    Tensor counts = Tensor::zeros(DType::kFloat64, target.shape());
    for (int64_t i = 0; i < target.numel(); ++i)
        if (static_cast<int64_t>(target.at(i)) != op.integer("ignore_index"))
            counts.mutable_as<double>()[static_cast<size_t>(i)] = 1;
    return counts.cast(dtype);
}

/// The weights of the targets that count, added; without weights their number.
Tensor weight_of_targets(Lowering& op, const Tensor& counts) {
    if (!op.has("weight")) return sum_of(op, counts);
    Tensor classes = op.raw("target").cast(DType::kInt64).reshaped({-1});
    for (int64_t& each : classes.mutable_as<int64_t>())
        if (each == op.integer("ignore_index")) each = 0;
    const Tensor own =
        first_of(op,
                 "index_select",
                 {{"self", op.tensor("weight")}, {"dim", int64_t{0}}, {"index", classes}});
    return sum_of(op, product(op, own, counts.reshaped({-1})));
}

/// A share of the label goes to all classes alike. Source  C. Szegedy et al., CVPR 2016, section 7.
Tensor smoothed(Lowering& op, const Tensor& likelihood, const Tensor& loss, double smoothing) {
    const auto classes = static_cast<double>(likelihood.dim(class_axis(likelihood)));
    const Tensor counts = counted(op, likelihood.dtype());
    Tensor smooth = product(op, over_classes(op, weighted(op, likelihood)), counts);
    const auto reduction = static_cast<Reduction>(op.integer("reduction"));
    if (reduction != Reduction::kNone) smooth = sum_of(op, smooth);
    if (reduction == Reduction::kMean)
        smooth = first_of(
            op, "div_Tensor", {{"self", smooth}, {"other", weight_of_targets(op, counts)}});
    return first_of(op,
                    "add_Tensor",
                    {{"self", scaled(op, loss, 1 - smoothing)},
                     {"other", scaled(op, smooth, smoothing / classes)}});
}

/// The likelihood of the softmax: of rows, or of images whatever their dimensions.
void lower_cross_entropy_loss(Lowering& op) {
    const Tensor& self = op.raw("self");
    const Tensor& target = op.raw("target");
    const double smoothing = op.number("label_smoothing");
    const Tensor likelihood = first_of(
        op, "_log_softmax", {{"self", self}, {"dim", class_axis(self)}, {"half_to_float", false}});
    if (is_float(target.dtype())) {
        if (target.shape() != self.shape())
            op.reject("a target of shares must have the shape of self");
        op.result(loss_by_shares(op, likelihood, smoothing), op.declared("self"));
        return;
    }
    const bool images = self.ndim() > 2;
    Tensor rows = likelihood;
    Tensor classes = target;
    if (images) {
        const int64_t pixels = self.numel() / std::max<int64_t>(1, self.dim(0) * self.dim(1));
        rows = rows.reshaped({self.dim(0), self.dim(1), 1, pixels});
        classes = classes.reshaped({self.dim(0), 1, pixels});
    }
    Tensor loss = first_of(op,
                           images ? "nll_loss2d_forward" : "nll_loss_forward",
                           {{"self", rows},
                            {"target", classes},
                            {"weight", op.given("weight")},
                            {"reduction", op.integer("reduction")},
                            {"ignore_index", op.integer("ignore_index")}});
    if (op.integer("reduction") == 0) loss = loss.reshaped(target.shape());
    if (smoothing != 0) loss = smoothed(op, likelihood, loss, smoothing);
    op.result(loss, op.declared("self"));
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
         .launches = {"LogSoftmaxV2",
                      "Cast",
                      "OnesLike",
                      "NLLLoss",
                      "Mul",
                      "ReduceSum",
                      "Neg",
                      "Add",
                      "RealDiv",
                      "GatherV2"},
         .note = "as _log_softmax and nll_loss_forward; with smoothed labels and shares of classes "
                 "mul, sum, neg, add, div",
         .lower = lower_cross_entropy_loss},
    });
    return kRows;
}

}  // namespace npuscope::backend
