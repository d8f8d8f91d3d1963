// Layer norm and batch norm; everything inside in float32 (float64 for float64).
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/pointwise/float_loops.h"
#include "npu_backend/kernels/row_tiles.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/kernels/widened.h"
#include "npu_backend/numerics/vector_unit.h"

namespace npuscope::backend {

namespace {

[[noreturn]] void misfit(const KernelCall& call, const char* what) {
    call.reject(std::string(what) + " does not fit input " + to_string(call.input(0).shape()));
}

/// 1 / sqrt(variance + epsilon); in high performance e^(-ln(variance + epsilon) / 2), step by step.
template <class W>
W inverse_deviation(const KernelCall& call, W variance, W epsilon) {
    const W shifted = variance + epsilon;
    const VectorUnit<W> unit(call.numerics);
    if (std::is_same_v<W, double> || high_precision(call.numerics, "LayerNorm", false))
        return unit.divide(W{1}, unit.square_root(shifted));
    return unit.exp(W(-0.5) * unit.ln(shifted));
}

/// Normalises one row in place; gives mean and biased variance.
template <class W>
std::pair<W, W> normalize_row(const KernelCall& call,
                              std::span<W> row,
                              std::vector<W>& scratch,
                              W epsilon) {
    const W share = W{1} / static_cast<W>(row.size());
    scratch.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i)
        scratch[i] = row[i] * share;
    const W mean = repeat_sum(std::span<W>(scratch), call.numerics.device.options.reduce_order);
    for (size_t i = 0; i < row.size(); ++i) {
        row[i] -= mean;
        scratch[i] = row[i] * row[i] * share;
    }
    const W variance = repeat_sum(std::span<W>(scratch), call.numerics.device.options.reduce_order);
    const W factor = inverse_deviation(call, variance, epsilon);
    for (W& value : row)
        value *= factor;
    return {mean, variance};
}

template <class W>
void layer_norm(KernelCall& call) {
    const Tensor& x = call.input(0);
    const int64_t begin = call.integer("begin_norm_axis");
    const W epsilon = static_cast<W>(call.number("epsilon"));
    Shape outer(x.shape().begin(), x.shape().begin() + begin);
    Shape kept = outer;
    kept.resize(x.shape().size(), 1);
    const int64_t rows = numel_of(outer);
    const int64_t length = rows == 0 ? 0 : x.numel() / rows;
    const std::vector<W> gamma = widened<W>(call.input(1));
    const std::vector<W> beta = widened<W>(call.input(2));
    if (static_cast<int64_t>(gamma.size()) != length || gamma.size() != beta.size())
        misfit(call, "weight or bias");
    const bool finite = check_inputs(call.inputs, call.status);
    std::vector<W> y = widened<W>(x);
    std::vector<W> mean(static_cast<size_t>(rows));
    std::vector<W> variance(static_cast<size_t>(rows));
    for_row_tiles(call, rows, length, [&](int64_t first, int64_t end) {
        std::vector<W> scratch;
        for (int64_t r = first; r < end; ++r) {
            const auto row = std::span<W>(y).subspan(static_cast<size_t>(r * length),
                                                     static_cast<size_t>(length));
            std::tie(mean[static_cast<size_t>(r)], variance[static_cast<size_t>(r)]) =
                normalize_row(call, row, scratch, epsilon);
            for (size_t i = 0; i < row.size(); ++i)
                row[i] = row[i] * gamma[i] + beta[i];
        }
        return FloatStatus();
    });
    const OverflowMode mode = call.numerics.overflow_mode();
    const auto give = [&](const std::vector<W>& values, const Shape& shape) {
        return narrowed<W>(values, x.dtype(), shape, mode, finite, call.status);
    };
    call.outputs = {give(y, x.shape()), give(mean, kept), give(variance, kept)};
}

/// x * factor + addend of one run, rounded to x's dtype.
template <class T>
FloatStatus scale_run(std::span<const T> x,
                      Wide<T> factor,
                      Wide<T> addend,
                      std::span<T> y,
                      OverflowMode mode,
                      bool finite) {
    if constexpr (std::is_same_v<T, float>) {
        if (!saturates<T>(mode)) {
            scale_floats(x.data(), factor, addend, y.data(), static_cast<int64_t>(x.size()));
            FloatStatus status;
            if (finite && !all_finite(std::span<const T>(y))) status.raise(FloatStatus::kOverflow);
            return status;
        }
    }
    Rounder<T> round(mode);
    for (size_t i = 0; i < x.size(); ++i)
        y[i] = round(static_cast<double>(widen<Wide<T>>(x[i]) * factor + addend),
                     [finite] { return finite; });
    return round.status();
}

/// y = x * multiplier + addend by channel, rounded to x's dtype.
template <class W>
Tensor scale_channels(KernelCall& call,
                      const std::vector<W>& mean,
                      const std::vector<W>& variance,
                      const std::vector<W>& scale,
                      const std::vector<W>& offset,
                      bool finite) {
    const Tensor& x = call.input(0);
    const W epsilon = static_cast<W>(call.number("epsilon"));
    const VectorUnit<W> unit(call.numerics);
    const int64_t planes = x.dim(0) * x.dim(1);
    const int64_t inner = planes == 0 ? 0 : x.numel() / planes;
    Tensor y(x.dtype(), x.shape());
    visit_float(call, x.dtype(), [&]<class T>() {
        const auto in = x.as<T>();
        const auto out = y.mutable_as<T>();
        for_row_tiles(call, planes, inner, [&](int64_t first, int64_t end) {
            FloatStatus status;
            for (int64_t plane = first; plane < end; ++plane) {
                const auto c = static_cast<size_t>(plane % x.dim(1));
                const W multiplier = unit.divide(scale[c], unit.square_root(variance[c] + epsilon));
                const W addend = offset[c] - mean[c] * multiplier;
                const auto at = static_cast<size_t>(plane * inner);
                const auto count = static_cast<size_t>(inner);
                status.merge(scale_run<T>(in.subspan(at, count),
                                          static_cast<Wide<T>>(multiplier),
                                          static_cast<Wide<T>>(addend),
                                          out.subspan(at, count),
                                          call.numerics.overflow_mode(),
                                          finite));
            }
            return status;
        });
    });
    return y;
}

void require_channels(const KernelCall& call, size_t first) {
    if (call.input(0).ndim() < 2) misfit(call, "a batch norm");
    for (size_t i = first; i < call.inputs.size(); ++i)
        if (call.inputs[i].numel() != call.input(0).dim(1)) misfit(call, "a channel vector");
}

template <class W>
void bn_infer(KernelCall& call) {
    require_channels(call, 1);
    const bool finite = check_inputs(call.inputs, call.status);
    call.outputs = {scale_channels<W>(call,
                                      widened<W>(call.input(3)),
                                      widened<W>(call.input(4)),
                                      widened<W>(call.input(1)),
                                      widened<W>(call.input(2)),
                                      finite)};
}

template <class W>
void bn_training_reduce(KernelCall& call) {
    require_channels(call, 1);
    const Tensor& x = call.input(0);
    const bool finite = check_inputs(call.inputs, call.status);
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < x.ndim(); ++axis)
        if (axis != 1) axes.push_back(axis);
    const Rows rows = Rows::over(x, axes);
    const std::vector<W> values = widened<W>(rows.data);
    std::vector<W> sum(static_cast<size_t>(rows.rows));
    std::vector<W> square_sum(sum.size());
    parallel_for(rows.rows, call.numerics.threads, [&](int64_t c) {
        const auto begin = values.begin() + c * rows.length;
        std::vector<W> row(begin, begin + rows.length);
        sum[static_cast<size_t>(c)] =
            repeat_sum(std::span<W>(row), call.numerics.device.options.reduce_order);
        row.assign(begin, begin + rows.length);
        for (W& value : row)
            value *= value;
        square_sum[static_cast<size_t>(c)] =
            repeat_sum(std::span<W>(row), call.numerics.device.options.reduce_order);
    });
    const auto give = [&](const std::vector<W>& of) {
        return narrowed<W>(
            of, kDTypeOf<W>, {rows.rows}, call.numerics.overflow_mode(), finite, call.status);
    };
    call.outputs = {give(sum), give(square_sum)};
}

template <class W>
void bn_training_update(KernelCall& call) {
    require_channels(call, 1);
    const Tensor& x = call.input(0);
    const bool finite = check_inputs(call.inputs, call.status);
    const auto count = static_cast<double>(x.numel()) / static_cast<double>(x.dim(1));
    const W share = static_cast<W>(1.0 / count);
    const W unbiased = static_cast<W>(count > 1 ? count / (count - 1) : 1.0);
    const W factor = static_cast<W>(call.number("factor"));
    std::vector<W> mean = widened<W>(call.input(1));
    std::vector<W> variance = widened<W>(call.input(2));
    std::vector<W> running_mean = widened<W>(call.input(5));
    std::vector<W> running_variance = widened<W>(call.input(6));
    for (size_t c = 0; c < mean.size(); ++c) {
        mean[c] *= share;
        variance[c] = variance[c] * share - mean[c] * mean[c];
        running_mean[c] = running_mean[c] * (W{1} - factor) + mean[c] * factor;
        running_variance[c] =
            running_variance[c] * (W{1} - factor) + variance[c] * unbiased * factor;
    }
    Tensor y = scale_channels<W>(
        call, mean, variance, widened<W>(call.input(3)), widened<W>(call.input(4)), finite);
    const Shape shape = {x.dim(1)};
    const auto give = [&](const std::vector<W>& of) {
        return narrowed<W>(
            of, kDTypeOf<W>, shape, call.numerics.overflow_mode(), finite, call.status);
    };
    call.outputs = {
        std::move(y), give(running_mean), give(running_variance), give(mean), give(variance)};
}

}  // namespace

std::span<const Kernel> normalization_kernels() {
    using enum Held;
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "LayerNorm",
         .colour = PrecisionColour::kBlack,
         .formula = "mean = sum x/N, variance = sum (x - mean)^2/N, y = (x - mean) e^(-ln(variance "
                    "+ eps)/2) gamma + beta; high_precision and a reference divide by sqrt",
         .dtypes = kThroughFloat32,
         .source = ", high_performance",
         .run = run_in_steps<layer_norm<double>, layer_norm<float>>},
        {.type = "BNInfer",
         .batch_norm = true,
         .formats = {{kImage, kImage, kImage, kImage, kImage}, {kImage}},
         .colour = PrecisionColour::kBlack,
         .formula = "x m + (offset - mean m), m = scale / sqrt(variance + eps)",
         .dtypes = kThroughFloat32,
         .run = run_in_steps<bn_infer<double>, bn_infer<float>>},
        {.type = "BNTrainingReduce",
         .batch_norm = true,
         .formats = {{kImage}, {kImage, kImage}},
         .colour = PrecisionColour::kBlack,
         .formula = "sum and sum of squares of each channel, neighbours in pairs",
         .dtypes = kThroughFloat32,
         .run = run_in_steps<bn_training_reduce<double>, bn_training_reduce<float>>},
        {.type = "BNTrainingUpdate",
         .batch_norm = true,
         .running_statistics = 1,
         .formats = {{kImage, kImage, kImage, kImage, kImage, kImage, kImage},
                     {kImage, kImage, kImage, kImage, kImage}},
         .colour = PrecisionColour::kBlack,
         .formula = "mean = sum/N, variance = square_sum/N - mean^2, y as BNInfer; running "
                    "statistics move by factor",
         .dtypes = kThroughFloat32,
         .run = run_in_steps<bn_training_update<double>, bn_training_update<float>>},
    });
    return kRows;
}

}  // namespace npuscope::backend
