// Group norm, and the gradients of layer norm and group norm; float32 inside (float64 for float64).
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/kernels/widened.h"

namespace npuscope::backend {

namespace {

void require(const KernelCall& call, bool fits) {
    if (!fits) call.reject("an input does not fit " + to_string(call.input(0).shape()));
}

template <class W>
Tensor give(KernelCall& call, const std::vector<W>& values, const Shape& shape, bool finite) {
    return narrowed<W>(
        values, call.input(0).dtype(), shape, call.numerics.overflow_mode(), finite, call.status);
}

/// Inputs x [N, C, …], gamma [C], beta [C]; attributes num_groups, epsilon. Outputs y, mean and
/// rstd [N, groups].
template <class W>
void group_norm(KernelCall& call) {
    const Tensor& x = call.input(0);
    const int64_t groups = call.integer("num_groups");
    require(call, x.ndim() >= 2 && groups > 0 && x.dim(1) % groups == 0);
    require(call, call.input(1).numel() == x.dim(1) && call.input(2).numel() == x.dim(1));
    const bool finite = check_inputs(call.inputs, call.status);
    const std::vector<W> gamma = widened<W>(call.input(1));
    const std::vector<W> beta = widened<W>(call.input(2));
    std::vector<W> y = widened<W>(x);
    const int64_t rows = x.dim(0) * groups;
    const auto length = static_cast<size_t>(rows == 0 ? 0 : x.numel() / rows);
    const auto channels = static_cast<size_t>(x.dim(1) / groups);
    const size_t inner = channels == 0 ? 0 : length / channels;
    std::vector<W> means(static_cast<size_t>(rows));
    std::vector<W> inverses(means.size());
    const W epsilon = static_cast<W>(call.number("epsilon"));
    parallel_for(rows, call.numerics.threads, [&](int64_t r) {
        const auto at = static_cast<size_t>(r);
        const auto row = std::span<W>(y).subspan(at * length, length);
        const W share = W{1} / static_cast<W>(length);
        std::vector<W> scratch(row.begin(), row.end());
        const W mean =
            repeat_sum(std::span<W>(scratch), call.numerics.device.options.reduce_order) * share;
        for (size_t i = 0; i < length; ++i)
            scratch[i] = (row[i] - mean) * (row[i] - mean);
        const W variance =
            repeat_sum(std::span<W>(scratch), call.numerics.device.options.reduce_order) * share;
        const W inverse = W{1} / std::sqrt(variance + epsilon);
        for (size_t i = 0; i < length; ++i) {
            const size_t channel = at % static_cast<size_t>(groups) * channels + i / inner;
            row[i] = (row[i] - mean) * inverse * gamma[channel] + beta[channel];
        }
        means[at] = mean;
        inverses[at] = inverse;
    });
    const Shape kept = {x.dim(0), groups};
    call.outputs = {give(call, y, x.shape(), finite),
                    give(call, means, kept, finite),
                    give(call, inverses, kept, finite)};
}

/// One row of a normalisation's gradient, in place: dy becomes dx; `scaled` is dy gamma.
template <class W>
void row_gradient(std::span<W> dy,
                  std::span<const W> x,
                  std::vector<W>& scratch,
                  W mean,
                  W inverse,
                  ReduceOrder order) {
    const W share = W{1} / static_cast<W>(dy.size());
    scratch.assign(dy.begin(), dy.end());
    const W level = repeat_sum(std::span<W>(scratch), order) * share;
    for (size_t i = 0; i < dy.size(); ++i)
        scratch[i] = dy[i] * ((x[i] - mean) * inverse);
    const W slope = repeat_sum(std::span<W>(scratch), order) * share;
    for (size_t i = 0; i < dy.size(); ++i)
        dy[i] = (dy[i] - level - (x[i] - mean) * inverse * slope) * inverse;
}

/// Inputs dy, x [rows…, normalized…], mean, rstd (one a row), gamma. Outputs dx, dgamma, dbeta.
template <class W>
void layer_norm_gradient(KernelCall& call) {
    const Tensor& given = call.input(0);
    const int64_t rows = call.input(2).numel();
    const int64_t length = call.input(4).numel();
    require(call,
            call.input(1).shape() == given.shape() && call.input(3).numel() == rows &&
                rows * length == given.numel());
    const bool finite = check_inputs(call.inputs, call.status);
    std::vector<W> dy = widened<W>(given);
    const std::vector<W> x = widened<W>(call.input(1));
    const std::vector<W> mean = widened<W>(call.input(2));
    const std::vector<W> inverse = widened<W>(call.input(3));
    const std::vector<W> gamma = widened<W>(call.input(4));
    const auto width = static_cast<size_t>(length);
    std::vector<W> scale(width);
    std::vector<W> offset(width);
    parallel_for(length, call.numerics.threads, [&](int64_t column) {
        const auto c = static_cast<size_t>(column);
        std::vector<W> products;
        std::vector<W> plain;
        for (size_t r = 0; r < mean.size(); ++r) {
            products.push_back(dy[r * width + c] * ((x[r * width + c] - mean[r]) * inverse[r]));
            plain.push_back(dy[r * width + c]);
        }
        scale[c] = repeat_sum(std::span<W>(products), call.numerics.device.options.reduce_order);
        offset[c] = repeat_sum(std::span<W>(plain), call.numerics.device.options.reduce_order);
    });
    parallel_for(rows, call.numerics.threads, [&](int64_t row) {
        const auto r = static_cast<size_t>(row);
        const auto line = std::span<W>(dy).subspan(r * width, width);
        for (size_t i = 0; i < width; ++i)
            line[i] *= gamma[i];
        std::vector<W> scratch;
        row_gradient<W>(line,
                        std::span<const W>(x).subspan(r * width, width),
                        scratch,
                        mean[r],
                        inverse[r],
                        call.numerics.device.options.reduce_order);
    });
    const Shape& parameters = call.input(4).shape();
    call.outputs = {give(call, dy, given.shape(), finite),
                    give(call, scale, parameters, finite),
                    give(call, offset, parameters, finite)};
}

/// Inputs dy, x [N, C, …], mean, rstd [N, groups], gamma [C]. Outputs dx, dgamma, dbeta.
template <class W>
void group_norm_gradient(KernelCall& call) {
    const Tensor& given = call.input(0);
    const int64_t groups = call.integer("num_groups");
    require(call,
            given.ndim() >= 2 && call.input(1).shape() == given.shape() && groups > 0 &&
                given.dim(1) % groups == 0);
    const int64_t rows = given.dim(0) * groups;
    require(call,
            call.input(2).numel() == rows && call.input(3).numel() == rows &&
                call.input(4).numel() == given.dim(1));
    const bool finite = check_inputs(call.inputs, call.status);
    std::vector<W> dy = widened<W>(given);
    const std::vector<W> x = widened<W>(call.input(1));
    const std::vector<W> mean = widened<W>(call.input(2));
    const std::vector<W> inverse = widened<W>(call.input(3));
    const std::vector<W> gamma = widened<W>(call.input(4));
    const auto channels = gamma.size();
    const auto each = channels / static_cast<size_t>(groups);
    const auto length = static_cast<size_t>(rows == 0 ? 0 : given.numel() / rows);
    const size_t inner = each == 0 ? 0 : length / each;
    std::vector<W> scale(channels);
    std::vector<W> offset(channels);
    parallel_for(static_cast<int64_t>(channels), call.numerics.threads, [&](int64_t channel) {
        const auto c = static_cast<size_t>(channel);
        std::vector<W> products;
        std::vector<W> plain;
        for (size_t n = 0; n < static_cast<size_t>(given.dim(0)); ++n) {
            const size_t r = n * static_cast<size_t>(groups) + c / each;
            const size_t begin = (n * channels + c) * inner;
            for (size_t i = begin; i < begin + inner; ++i) {
                products.push_back(dy[i] * ((x[i] - mean[r]) * inverse[r]));
                plain.push_back(dy[i]);
            }
        }
        scale[c] = repeat_sum(std::span<W>(products), call.numerics.device.options.reduce_order);
        offset[c] = repeat_sum(std::span<W>(plain), call.numerics.device.options.reduce_order);
    });
    parallel_for(rows, call.numerics.threads, [&](int64_t row) {
        const auto r = static_cast<size_t>(row);
        const auto line = std::span<W>(dy).subspan(r * length, length);
        for (size_t i = 0; i < length; ++i)
            line[i] *= gamma[r % static_cast<size_t>(groups) * each + i / inner];
        std::vector<W> scratch;
        row_gradient<W>(line,
                        std::span<const W>(x).subspan(r * length, length),
                        scratch,
                        mean[r],
                        inverse[r],
                        call.numerics.device.options.reduce_order);
    });
    const Shape parameters = {static_cast<int64_t>(channels)};
    call.outputs = {give(call, dy, given.shape(), finite),
                    give(call, scale, parameters, finite),
                    give(call, offset, parameters, finite)};
}

}  // namespace

std::span<const Kernel> group_normalization_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "GroupNorm",
         .formula = "(x - mean) rstd gamma + beta of each group of channels; mean, rstd",
         .dtypes = kThroughFloat32,
         .source = "ours",
         .run = run_in_steps<group_norm<double>, group_norm<float>>},
        {.type = "LayerNormGrad",
         .colour = PrecisionColour::kBlack,
         .formula = "pd_x = rstd (dy gamma - mean(dy gamma) - n mean(dy gamma n)), n = (x - mean) "
                    "rstd; pd_gamma = sum dy n; pd_beta = sum dy",
         .dtypes = kThroughFloat32,
         .source = "; it takes rstd here, steps ours",
         .run = run_in_steps<layer_norm_gradient<double>, layer_norm_gradient<float>>},
        {.type = "GroupNormGrad",
         .formula = "the same by groups of channels, gamma and beta by channel",
         .dtypes = kThroughFloat32,
         .source = "ours",
         .run = run_in_steps<group_norm_gradient<double>, group_norm_gradient<float>>},
    });
    return kRows;
}

}  // namespace npuscope::backend
