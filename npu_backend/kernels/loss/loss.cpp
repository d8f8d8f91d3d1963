// Negative log likelihood and its gradient; softmax gradients that come before it in a step.
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/kernels/widened.h"
#include "npu_backend/numerics/vector_unit.h"

namespace npuscope::backend {

namespace {

enum class Reduction : uint8_t { kNone, kMean, kSum };

Reduction reduction_of(const KernelCall& call) {
    const std::string& text = call.text("reduction");
    return text == "none" ? Reduction::kNone : text == "mean" ? Reduction::kMean : Reduction::kSum;
}

/// Class of each row of x [rows, classes]; -1 where it is to be ignored.
std::vector<int64_t> classes_of(const KernelCall& call, const Tensor& x, const Tensor& target) {
    if (x.ndim() != 2 || target.numel() != x.dim(0))
        call.reject("x " + to_string(x.shape()) + " and target " + to_string(target.shape()) +
                    " do not fit");
    const Tensor whole = target.cast(DType::kInt64);
    std::vector<int64_t> classes;
    for (const int64_t index : whole.as<int64_t>()) {
        const bool ignored = index == call.integer("ignore_index");
        if (!ignored && (index < 0 || index >= x.dim(1)))
            call.reject("target " + std::to_string(index) + " is no class of " +
                        std::to_string(x.dim(1)));
        classes.push_back(ignored ? -1 : index);
    }
    return classes;
}

template <class W>
std::vector<W> weights_of(const KernelCall& call, const Tensor& x, const Tensor& weight) {
    std::vector<W> weights = widened<W>(weight);
    if (static_cast<int64_t>(weights.size()) != x.dim(1))
        call.reject("weight needs one number a class");
    return weights;
}

template <class W>
void nll_loss(KernelCall& call) {
    const Tensor& x = call.input(0);
    const bool finite = check_inputs(std::array{x, call.input(2)}, call.status);
    const std::vector<int64_t> classes = classes_of(call, x, call.input(1));
    const std::vector<W> weights = weights_of<W>(call, x, call.input(2));
    const std::vector<W> values = widened<W>(x);
    std::vector<W> losses(classes.size(), W{0});
    std::vector<W> used(classes.size(), W{0});
    for (size_t row = 0; row < classes.size(); ++row) {
        if (classes[row] < 0) continue;
        const auto index = static_cast<size_t>(classes[row]);
        used[row] = weights[index];
        losses[row] = -values[row * weights.size() + index] * used[row];
    }
    const Reduction reduction = reduction_of(call);
    const auto give = [&](const std::vector<W>& of, Shape shape) {
        return narrowed<W>(
            of, x.dtype(), std::move(shape), call.numerics.overflow_mode(), finite, call.status);
    };
    const W total = repeat_sum(std::span<W>(used), call.numerics.device.options.reduce_order);
    if (reduction == Reduction::kNone) {
        call.outputs = {give(losses, {x.dim(0)}), give({W{0}}, {})};
        return;
    }
    const W sum = repeat_sum(std::span<W>(losses), call.numerics.device.options.reduce_order);
    call.outputs = {give({reduction == Reduction::kMean ? sum / total : sum}, {}),
                    give({total}, {})};
}

template <class W>
void nll_loss_gradient(KernelCall& call) {
    const Tensor& x = call.input(0);
    const bool finite = check_inputs(std::array{call.input(1), call.input(3)}, call.status);
    const std::vector<int64_t> classes = classes_of(call, x, call.input(2));
    const std::vector<W> weights = weights_of<W>(call, x, call.input(3));
    const std::vector<W> gradient = widened<W>(call.input(1));
    const Reduction reduction = reduction_of(call);
    const bool each = reduction == Reduction::kNone;
    if (gradient.size() != (each ? classes.size() : 1))
        throw Error(ErrorKind::kUsage,
                    "kernel NLLLossGrad: y_grad " + to_string(call.input(1).shape()) +
                        " does not fit the reduction");
    const W total = reduction == Reduction::kMean ? widened<W>(call.input(4)).at(0) : W{1};
    std::vector<W> result(static_cast<size_t>(x.numel()), W{0});
    for (size_t row = 0; row < classes.size(); ++row) {
        if (classes[row] < 0) continue;
        const auto index = static_cast<size_t>(classes[row]);
        result[row * weights.size() + index] = -weights[index] * gradient[each ? row : 0] / total;
    }
    call.outputs = {narrowed<W>(
        result, x.dtype(), x.shape(), call.numerics.overflow_mode(), finite, call.status)};
}

/// Inputs grads and y; y is the result of the forward op.
template <class W, bool kLogarithm>
void softmax_gradient(KernelCall& call) {
    const Tensor& gradient = call.input(0);
    if (call.input(1).shape() != gradient.shape())
        call.reject("grads " + to_string(gradient.shape()) + " and y " +
                    to_string(call.input(1).shape()) + " must have one shape");
    const bool finite = check_inputs(call.inputs, call.status);
    const Rows rows = Rows::over(gradient, call.ints("axes"));
    std::vector<W> dy = widened<W>(rows.data);
    const std::vector<W> y = widened<W>(Rows::over(call.input(1), call.ints("axes")).data);
    const auto length = static_cast<size_t>(rows.length);
    std::vector<W> scratch(length);
    const VectorUnit<W> unit(call.numerics);
    for (size_t begin = 0; begin < dy.size(); begin += length) {
        for (size_t i = 0; i < length; ++i)
            scratch[i] = kLogarithm ? dy[begin + i] : dy[begin + i] * y[begin + i];
        const W sum = repeat_sum(std::span<W>(scratch), call.numerics.device.options.reduce_order);
        for (size_t i = begin; i < begin + length; ++i) {
            if (kLogarithm)
                dy[i] -= unit.exp(y[i]) * sum;
            else
                dy[i] = (dy[i] - sum) * y[i];
        }
    }
    const Tensor moved = narrowed<W>(dy,
                                     gradient.dtype(),
                                     rows.data.shape(),
                                     call.numerics.overflow_mode(),
                                     finite,
                                     call.status);
    call.outputs = {rows.restored(moved, gradient.shape())};
}

}  // namespace

std::span<const Kernel> loss_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "NLLLoss",
         .colour = PrecisionColour::kBlack,
         .formula = "y = -sum weight[target] x[row, target], over the sum of the weights for the "
                    "mean; total_weight is that sum, neighbours in pairs",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_in_steps<nll_loss<double>, nll_loss<float>>},
        {.type = "NLLLossGrad",
         .colour = PrecisionColour::kBlack,
         .formula = "-weight[target] y_grad at the target of each row, over total_weight for the "
                    "mean; else 0",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_in_steps<nll_loss_gradient<double>, nll_loss_gradient<float>>},
        {.type = "LogSoftmaxGrad",
         .colour = PrecisionColour::kBlack,
         .formula = "grads - e^y sum grads over axes",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_in_steps<softmax_gradient<double, true>, softmax_gradient<float, true>>},
        {.type = "SoftmaxGrad",
         .colour = PrecisionColour::kBlack,
         .formula = "(grads - sum grads y) y over axes",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_in_steps<softmax_gradient<double, false>, softmax_gradient<float, false>>},
    });
    return kRows;
}

}  // namespace npuscope::backend
