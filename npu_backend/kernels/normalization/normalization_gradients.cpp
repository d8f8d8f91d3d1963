// Gradients of batch norm; everything inside in float32 (float64 for float64).
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/kernels/widened.h"
#include "npu_backend/numerics/vector_unit.h"

namespace npuscope::backend {

namespace {

/// The tensor as [channels, elements of a channel], and the way back.
template <class W>
struct Channels {
    Rows rows;
    std::vector<W> values;

    explicit Channels(const Tensor& tensor) {
        std::vector<int64_t> axes;
        for (int64_t axis = 0; axis < tensor.ndim(); ++axis)
            if (axis != 1) axes.push_back(axis);
        rows = Rows::over(tensor, axes);
        values = widened<W>(rows.data);
    }
    [[nodiscard]] std::span<W> row(size_t channel) {
        const auto length = static_cast<size_t>(rows.length);
        return std::span<W>(values).subspan(channel * length, length);
    }
};

void require_fit(const KernelCall& call, size_t first_vector) {
    const Tensor& gradient = call.input(0);
    bool fits = gradient.ndim() >= 2;
    if (first_vector == 2) fits = fits && call.input(1).shape() == gradient.shape();
    for (size_t i = first_vector; fits && i < call.inputs.size(); ++i)
        fits = call.input(i).numel() == gradient.dim(1);
    if (!fits) call.reject("an input does not fit the gradient " + to_string(gradient.shape()));
}

template <class W>
std::vector<W> inverse_deviations(const KernelCall& call, const Tensor& variance) {
    const W epsilon = static_cast<W>(call.number("epsilon"));
    std::vector<W> inverse = widened<W>(variance);
    const VectorUnit<W> unit(call.numerics);
    for (W& value : inverse)
        value = unit.reciprocal(unit.square_root(value + epsilon));
    return inverse;
}

template <class W>
void update_gradient(KernelCall& call) {
    require_fit(call, 2);
    const bool finite = check_inputs(call.inputs, call.status);
    Channels<W> gradient(call.input(0));
    Channels<W> x(call.input(1));
    const std::vector<W> mean = widened<W>(call.input(2));
    const std::vector<W> inverse = inverse_deviations<W>(call, call.input(3));
    std::vector<W> scale(mean.size());
    std::vector<W> offset(mean.size());
    for (size_t c = 0; c < mean.size(); ++c) {
        const std::span<W> dy = gradient.row(c);
        const std::span<W> normal = x.row(c);
        for (size_t i = 0; i < normal.size(); ++i)
            normal[i] = (normal[i] - mean[c]) * inverse[c] * dy[i];
        scale[c] = repeat_sum(normal, call.numerics.device.options.reduce_order);
        offset[c] = repeat_sum(dy, call.numerics.device.options.reduce_order);
    }
    const auto give = [&](const std::vector<W>& of) {
        return narrowed<W>(of,
                           kDTypeOf<W>,
                           {static_cast<int64_t>(of.size())},
                           call.numerics.overflow_mode(),
                           finite,
                           call.status);
    };
    call.outputs = {give(scale), give(offset)};
}

/// Rounds what `gradient` holds to the dtype and layout of the gradient.
template <class W>
void give_gradient(KernelCall& call, const Channels<W>& gradient, bool finite) {
    const Tensor& given = call.input(0);
    const Tensor moved = narrowed<W>(gradient.values,
                                     given.dtype(),
                                     gradient.rows.data.shape(),
                                     call.numerics.overflow_mode(),
                                     finite,
                                     call.status);
    call.outputs = {gradient.rows.restored(moved, given.shape())};
}

template <class W>
void reduce_gradient(KernelCall& call) {
    require_fit(call, 2);
    const bool finite = check_inputs(call.inputs, call.status);
    Channels<W> gradient(call.input(0));
    Channels<W> x(call.input(1));
    const std::vector<W> diff_scale = widened<W>(call.input(2));
    const std::vector<W> diff_offset = widened<W>(call.input(3));
    const std::vector<W> scale = widened<W>(call.input(4));
    const std::vector<W> mean = widened<W>(call.input(5));
    const std::vector<W> inverse = inverse_deviations<W>(call, call.input(6));
    const W share = static_cast<W>(1.0 / static_cast<double>(gradient.rows.length));
    for (size_t c = 0; c < mean.size(); ++c) {
        const std::span<W> dy = gradient.row(c);
        const std::span<W> of = x.row(c);
        const W slope = diff_scale[c] * share * inverse[c];
        const W level = diff_offset[c] * share;
        for (size_t i = 0; i < dy.size(); ++i)
            dy[i] = (dy[i] - level - (of[i] - mean[c]) * slope) * (scale[c] * inverse[c]);
    }
    give_gradient(call, gradient, finite);
}

template <class W>
void infer_gradient(KernelCall& call) {
    require_fit(call, 1);
    const bool finite = check_inputs(call.inputs, call.status);
    Channels<W> gradient(call.input(0));
    const std::vector<W> scale = widened<W>(call.input(1));
    const std::vector<W> inverse = inverse_deviations<W>(call, call.input(2));
    for (size_t c = 0; c < scale.size(); ++c)
        for (W& value : gradient.row(c))
            value *= scale[c] * inverse[c];
    give_gradient(call, gradient, finite);
}

}  // namespace

std::span<const Kernel> normalization_gradients_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "BNTrainingUpdateGrad",
         .batch_norm = true,
         .colour = PrecisionColour::kBlack,
         .formula = "diff_scale = sum grads (x - mean) / sqrt(variance + eps), diff_offset = sum "
                    "grads, each channel, neighbours in pairs",
         .dtypes = kThroughFloat32,
         .run = run_in_steps<update_gradient<double>, update_gradient<float>>},
        {.type = "BNTrainingReduceGrad",
         .batch_norm = true,
         .colour = PrecisionColour::kBlack,
         .formula = "(grads - diff_offset/N - (x - mean) diff_scale r/N) scale r, r = 1 / "
                    "sqrt(variance + eps)",
         .dtypes = kThroughFloat32,
         .run = run_in_steps<reduce_gradient<double>, reduce_gradient<float>>},
        {.type = "BNInferGrad",
         .batch_norm = true,
         .colour = PrecisionColour::kBlack,
         .formula = "grads scale / sqrt(variance + eps)",
         .dtypes = kThroughFloat32,
         .run = run_in_steps<infer_gradient<double>, infer_gradient<float>>},
    });
    return kRows;
}

}  // namespace npuscope::backend
