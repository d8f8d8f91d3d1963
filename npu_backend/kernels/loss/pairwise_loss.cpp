// Losses of two tensors of one shape, and their gradients.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise/formula.h"

namespace npuscope::backend {

namespace {

/// Each loss, or their mean or sum: neighbours in pairs, one rounding at the end.
template <size_t kCount, class F>
void reduce_loss(KernelCall& call, F&& f) {
    const std::string& reduction = call.text("reduction");
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        if (reduction == "none") {
            call.outputs = {map_formula<T, kCount>(call, f)};
            return;
        }
        std::vector<W> losses = wide_formula<T, kCount>(call, f);
        W sum = repeat_sum(std::span<W>(losses), call.numerics.device.options.reduce_order);
        if (reduction == "mean") sum = sum * (W{1} / static_cast<W>(losses.size()));
        Tensor y(kDTypeOf<T>, {});
        Rounder<T> round(call.numerics.overflow_mode());
        const bool finite = !call.status.input_non_finite();
        y.template mutable_as<T>()[0] = round(static_cast<double>(sum), always(finite));
        call.status.merge(round.status());
        call.outputs = {std::move(y)};
    });
}

/// f(gradient, …) of the inputs, over the number of elements for the mean. The first input is the
/// gradient of the loss.
template <size_t kCount, class F>
void loss_gradient(KernelCall& call, F&& f) {
    double share = 1;
    if (call.text("reduction") == "mean")
        share = 1.0 / static_cast<double>(numel_of(formula_shape<kCount>(call)));
    run_formula_of<kCount>(call, [&](auto dy, auto... x) {
        using W = decltype(dy);
        return dy * static_cast<W>(share) * f(x...);
    });
}

void run_mse(KernelCall& call) {
    reduce_loss<2>(call, [](auto x, auto t) { return (x - t) * (x - t); });
}

void run_mse_gradient(KernelCall& call) {
    loss_gradient<3>(call, [](auto x, auto t) { return 2 * (x - t); });
}

void run_l1(KernelCall& call) {
    reduce_loss<2>(call, [](auto x, auto t) { return std::fabs(x - t); });
}

/// x^2 / (2 sigma) near 0, |x| - sigma / 2 beyond; sigma 0 is |x|.
void run_smooth_l1(KernelCall& call) {
    reduce_loss<2>(call, [sigma = call.number("sigma")](auto x, auto t) {
        using W = decltype(x);
        const W beta = static_cast<W>(sigma);
        const W distance = std::fabs(x - t);
        return distance < beta ? W(0.5) * distance * distance / beta : distance - W(0.5) * beta;
    });
}

void run_smooth_l1_gradient(KernelCall& call) {
    loss_gradient<3>(call, [sigma = call.number("sigma")](auto x, auto t) {
        using W = decltype(x);
        const W beta = static_cast<W>(sigma);
        const W d = x - t;
        if (std::fabs(d) < beta) return d / beta;
        return d != d ? d : static_cast<W>((d > 0) - (d < 0));
    });
}

void run_huber(KernelCall& call) {
    reduce_loss<2>(call, [given = call.number("delta")](auto x, auto t) {
        using W = decltype(x);
        const W delta = static_cast<W>(given);
        const W distance = std::fabs(x - t);
        return distance <= delta ? W(0.5) * distance * distance
                                 : delta * (distance - W(0.5) * delta);
    });
}

void run_huber_gradient(KernelCall& call) {
    loss_gradient<3>(call, [given = call.number("delta")](auto x, auto t) {
        using W = decltype(x);
        const W delta = static_cast<W>(given);
        const W d = x - t;
        return d < -delta ? -delta : (d > delta ? delta : d);
    });
}

/// Logarithms below -100 count as -100. Source: PyTorch, BCELoss.
void run_cross_entropy(KernelCall& call) {
    reduce_loss<3>(call, [](auto x, auto t, auto weight) {
        using W = decltype(x);
        const W yes = std::max(log_step(x), W(-100));
        const W no = std::max(log1p_step(-x), W(-100));
        return ((t - 1) * no - t * yes) * weight;
    });
}

void run_cross_entropy_gradient(KernelCall& call) {
    loss_gradient<4>(call, [](auto x, auto t, auto weight) {
        using W = decltype(x);
        return (x - t) / std::max((1 - x) * x, W(1e-12)) * weight;
    });
}

/// Inputs predict, target, weight, pos_weight.
void run_logits(KernelCall& call) {
    reduce_loss<4>(call, [](auto x, auto t, auto weight, auto positive) {
        using W = decltype(x);
        const W lowest = std::max(-x, W{0});
        const W factor = 1 + (positive - 1) * t;
        const W rest = log_step(exp_step(-lowest) + exp_step(-x - lowest)) + lowest;
        return weight * ((1 - t) * x + factor * rest);
    });
}

/// target (ln target - x), 0 where the target is; with log_target e^target (target - x).
void run_divergence(KernelCall& call) {
    reduce_loss<2>(call, [logs = call.flag("log_target")](auto x, auto t) {
        using W = decltype(x);
        if (logs) return exp_step(t) * (t - x);
        return t > 0 ? t * (log_step(t) - x) : W{0};
    });
}

void run_soft_margin(KernelCall& call) {
    reduce_loss<2>(call, [](auto x, auto t) { return log1p_step(exp_step(-x * t)); });
}

void run_soft_margin_gradient(KernelCall& call) {
    loss_gradient<3>(call, [](auto x, auto t) {
        const auto power = exp_step(-t * x);
        return -t * power / (power + 1);
    });
}

}  // namespace

std::span<const Kernel> pairwise_loss_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "MseLoss",
         .formula = "(predict - label)^2",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_mse},
        {.type = "MseLossGrad",
         .formula = "2 (predict - label) dout",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_mse_gradient},
        {.type = "LpLoss",
         .formula = "|predict - label|",
         .dtypes = kFloat32Steps,
         .source = ", p 1; steps ours",
         .run = run_l1},
        {.type = "SmoothL1LossV2",
         .formula = "d^2 / (2 sigma) below sigma, else d - sigma / 2; d = |predict - label|",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_smooth_l1},
        {.type = "SmoothL1LossGradV2",
         .formula = "dout d / sigma below sigma, else dout sign(d); d = predict - label",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_smooth_l1_gradient},
        {.type = "HuberLoss",
         .formula = "d^2 / 2 up to delta, else delta (d - delta / 2); d = |predict - label|",
         .dtypes = kFloat32Steps,
         .source = "ours",
         .run = run_huber},
        {.type = "HuberLossGrad",
         .formula = "dout clamp(predict - label, -delta, delta)",
         .dtypes = kFloat32Steps,
         .source = "ours",
         .run = run_huber_gradient},
        {.type = "BinaryCrossEntropy",
         .formula = "-weight (y max(ln x, -100) + (1 - y) max(ln(1 - x), -100))",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_cross_entropy},
        {.type = "BinaryCrossEntropyGrad",
         .formula = "weight grad_output (x - y) / max(x (1 - x), 1e-12)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_cross_entropy_gradient},
        {.type = "SigmoidCrossEntropyWithLogitsV2",
         .formula =
             "weight ((1 - target) predict + (1 + (pos_weight - 1) target) ln(1 + e^-predict))",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_logits},
        {.type = "KLDiv",
         .formula = "target (ln target - x), 0 for target 0; e^target (target - x) with log_target",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_divergence},
        {.type = "SoftMarginLoss",
         .formula = "ln(1 + e^(-x target))",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_soft_margin},
        {.type = "SoftMarginLossGrad",
         .formula = "-target z / (z + 1) dout, z = e^(-target x)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_soft_margin_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
