// What torch_npu fuses of a training step's end: the loss and its gradient, the optimizer's step.
// Source: torch_npu's API reference; CANN's, aclnnApplyAdamW; I. Loshchilov, F. Hutter, Decoupled
// Weight Decay Regularization, ICLR 2019; C. Szegedy et al., Rethinking the Inception Architecture,
// section 7.
#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/fused_steps.h"

namespace npuscope::diagnose {

namespace {

/// As PyTorch's losses count them.
int64_t reduction_of(const Lowering& op) {
    const std::string& name = op.text("reduction");
    if (name == "none") return 0;
    if (name == "mean") return 1;
    if (name == "sum") return 2;
    op.reject("reduction " + name + " is not known");
}

void require_no_zloss(const Lowering& op) {
    if (op.number("lse_square_scale_for_zloss") != 0) op.reject("a loss of z is not computed");
}

/// By the logarithms of shares: what the labels' own part of the loss gives.
Tensor gradient_of_labels(Lowering& op, const Tensor& gradient, const Tensor& shares) {
    const NamedValues common = {{"self", shares},
                                {"target", op.raw("target")},
                                {"weight", op.given("weight")},
                                {"reduction", reduction_of(op)},
                                {"ignore_index", op.integer("ignore_index")}};
    NamedValues values = common;
    values.push_back({"grad_output", gradient});
    values.push_back({"total_weight", op.computed("nll_loss_forward", common).at(1)});
    return op.step("nll_loss_backward", std::move(values));
}

/// What each class gets by smoothed labels, the same in all that a label counts.
Tensor gradient_of_smoothing(Lowering& op, const Tensor& gradient, const Tensor& shares) {
    if (op.has("weight")) op.reject("smoothed labels with weights are not computed");
    Tensor counted = op.cast(
        op.step("ne_Scalar",
                {{"self", op.raw("target")}, {"other", Scalar{op.integer("ignore_index")}}}),
        shares.dtype());
    if (op.text("reduction") == "mean")
        counted = op.step("div_Tensor",
                          {{"self", counted}, {"other", op.step("sum", {{"self", counted}})}});
    const Tensor of_labels = product(op, counted, gradient).reshaped({shares.dim(0), 1});
    const Tensor none = op.step("zeros_like", {{"self", shares}});
    return scaled(op, sum(op, none, of_labels), -1.0 / static_cast<double>(shares.dim(1)));
}

}  // namespace

void lower_npu_cross_entropy_loss(Lowering& op) {
    require_no_zloss(op);
    const DType dtype = op.declared("input");
    op.result(op.step("cross_entropy_loss",
                      {{"self", op.tensor("input")},
                       {"target", op.raw("target")},
                       {"weight", op.given("weight")},
                       {"reduction", reduction_of(op)},
                       {"ignore_index", op.integer("ignore_index")},
                       {"label_smoothing", op.number("label_smoothing")}}),
              dtype);
    op.result(
        op.step("_log_softmax",
                {{"self", op.tensor("input")}, {"dim", int64_t{-1}}, {"half_to_float", false}}),
        dtype);
}

void lower_npu_cross_entropy_loss_backward(Lowering& op) {
    require_no_zloss(op);
    const Tensor shares = op.tensor("log_prob");
    const Tensor gradient = op.tensor("grad_loss");
    const double smoothing = op.number("label_smoothing");
    Tensor of_shares = gradient_of_labels(op, gradient, shares);
    if (smoothing != 0)
        of_shares = sum(op,
                        scaled(op, of_shares, 1 - smoothing),
                        scaled(op, gradient_of_smoothing(op, gradient, shares), smoothing));
    op.result(op.step("_log_softmax_backward_data",
                      {{"grad_output", of_shares},
                       {"output", shares},
                       {"dim", int64_t{-1}},
                       {"input_dtype", op.declared("log_prob")}}),
              op.declared("log_prob"));
}

void lower_npu_apply_adam_w(Lowering& op) {
    const auto number = [&](std::string_view name) { return op.scalar(name).to_double(); };
    Tensor gradient = op.tensor("grad");
    if (op.has("maximize") && op.flag("maximize")) gradient = scaled(op, gradient, -1);
    const auto mixed = [&](std::string_view old, std::string_view share, const Tensor& now) {
        return sum(
            op, scaled(op, op.tensor(old), number(share)), scaled(op, now, 1 - number(share)));
    };
    const Tensor m = mixed("m", "beta1", gradient);
    const Tensor v = mixed("v", "beta2", product(op, gradient, gradient));
    const bool by_most = op.has("amsgrad") && op.flag("amsgrad");
    const Tensor spread =
        by_most ? op.step("maximum", {{"self", v}, {"other", op.tensor("max_grad_norm")}}) : v;
    // Powers are given as they were before the step.
    const auto unbiased = [&](const Tensor& mean, std::string_view power, std::string_view beta) {
        return scaled(op, mean, 1 / (1 - number(power) * number(beta)));
    };
    const Tensor decayed = scaled(op, op.tensor("var"), 1 - number("lr") * number("weight_decay"));
    const Tensor root = op.step("sqrt", {{"self", unbiased(spread, "beta2_power", "beta2")}});
    const Tensor below = op.step(
        "add_Scalar",
        {{"self", root}, {"other", Scalar{number("epsilon")}}, {"alpha", Scalar{int64_t{1}}}});
    const Tensor step =
        op.step("div_Tensor", {{"self", unbiased(m, "beta1_power", "beta1")}, {"other", below}});
    op.result(difference(op, decayed, scaled(op, step, number("lr"))), op.declared("var"));
    op.result(m, op.declared("m"));
    op.result(v, op.declared("v"));
}

}  // namespace npuscope::diagnose
