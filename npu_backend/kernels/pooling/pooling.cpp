// Pooling windows over the last two dimensions of [N, C, H, W].
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// One spatial dimension.
struct Axis {
    int64_t size, kernel, stride, pad, dilation, out;
};

Axis axis_of(const KernelCall& call, size_t spatial, const char* pads, size_t pad_at) {
    Axis axis{};
    axis.size = call.input(0).shape()[2 + spatial];
    axis.kernel = call.ints("ksize")[2 + spatial];
    axis.stride = call.ints("strides")[2 + spatial];
    axis.pad = call.ints(pads)[pad_at];
    axis.dilation = call.has_attribute("dilation") ? call.ints("dilation")[2 + spatial] : 1;
    const int64_t span = axis.size + 2 * axis.pad - axis.dilation * (axis.kernel - 1) - 1;
    if (axis.kernel < 1 || axis.stride < 1 || axis.dilation < 1 || axis.pad < 0 ||
        axis.pad * 2 > axis.kernel || span < 0)
        call.reject("window, stride and padding do not fit " + to_string(call.input(0).shape()));
    const bool ceil = call.flag("ceil_mode");
    axis.out = (span + (ceil ? axis.stride - 1 : 0)) / axis.stride + 1;
    // The last window starts inside the image or its left padding.
    if (ceil && (axis.out - 1) * axis.stride >= axis.size + axis.pad) --axis.out;
    return axis;
}

/// All elements that the windows read.
void take_windows(const KernelCall& call, const Axis& h, const Axis& w) {
    const Tensor& x = call.input(0);
    OpBudget::take_steps(
        {x.dim(0), x.dim(1), h.out, std::min(h.kernel, h.size), w.out, std::min(w.kernel, w.size)});
}

/// The elements of one window along an axis that lie inside the image.
struct Reach {
    int64_t first, count;  ///< first element; elements a dilation apart
};

std::vector<Reach> reaches_of(const Axis& axis) {
    std::vector<Reach> reaches;
    for (int64_t o = 0; o < axis.out; ++o) {
        const int64_t start = o * axis.stride - axis.pad;
        const int64_t skipped = start < 0 ? (axis.dilation - 1 - start) / axis.dilation : 0;
        const int64_t first = start + skipped * axis.dilation;
        const int64_t inside =
            first < axis.size ? (axis.size - 1 - first) / axis.dilation + 1 : int64_t{0};
        reaches.push_back({first, std::min(axis.kernel - skipped, inside)});
    }
    return reaches;
}

/// Place of a window's largest element; the last nan wins, as in PyTorch.
template <class T>
int64_t largest_in(
    const T* image, const Axis& h, const Axis& w, const Reach& row, const Reach& column) {
    // Floats of at most 32 bits compare in float.
    using Key = Wide<T>;
    int64_t best = row.first * w.size + column.first;
    Key held = widen<Key>(image[best]);
    for (int64_t i = 0; i < row.count; ++i) {
        int64_t here = (row.first + i * h.dilation) * w.size + column.first;
        for (int64_t j = 0; j < column.count; ++j, here += w.dilation) {
            const Key value = widen<Key>(image[here]);
            if (value > held || value != value) {
                held = value;
                best = here;
            }
        }
    }
    return best;
}

template <class T>
void max_pool(KernelCall& call, const Axis& h, const Axis& w) {
    const Tensor& x = call.input(0);
    const Shape shape = {x.dim(0), x.dim(1), h.out, w.out};
    Tensor y(x.dtype(), shape);
    Tensor indices(DType::kInt64, shape);
    const auto in = x.as<T>();
    T* out = y.template mutable_as<T>().data();
    int64_t* at = indices.mutable_as<int64_t>().data();
    const std::vector<Reach> rows = reaches_of(h);
    const std::vector<Reach> columns = reaches_of(w);
    parallel_for(x.dim(0) * x.dim(1), call.numerics.threads, [&](int64_t plane) {
        const T* image = in.data() + plane * h.size * w.size;
        int64_t next = plane * h.out * w.out;
        for (const Reach& row : rows)
            for (const Reach& column : columns) {
                const int64_t best = largest_in(image, h, w, row, column);
                out[next] = image[best];
                at[next++] = best;
            }
    });
    if (!all_finite(x)) call.status.raise(FloatStatus::kVectorInputNonFinite);
    call.outputs = {std::move(y), std::move(indices)};
}

void run_max_pool(KernelCall& call) {
    if (call.input(0).ndim() != 4) call.refuse(call.input(0).dtype());
    const Axis h = axis_of(call, 0, "pads", 2);
    const Axis w = axis_of(call, 1, "pads", 3);
    take_windows(call, h, w);
    visit_float(call, call.input(0).dtype(), [&]<class T>() { max_pool<T>(call, h, w); });
}

struct Window {
    int64_t begin, end;  ///< inside the image
    int64_t padded;      ///< elements with padding
};

Window window_of(const Axis& axis, int64_t out) {
    const int64_t start = out * axis.stride - axis.pad;
    const int64_t end = std::min(start + axis.kernel, axis.size + axis.pad);
    return {std::max<int64_t>(start, 0), std::min(end, axis.size), end - start};
}

template <class T>
void average_pool(KernelCall& call, const Axis& h, const Axis& w) {
    using W = Wide<T>;
    const Tensor& x = call.input(0);
    const bool include_pad = !call.flag("exclusive");
    const int64_t divisor =
        call.has_attribute("divisor_override") ? call.integer("divisor_override") : 0;
    Tensor y(x.dtype(), {x.dim(0), x.dim(1), h.out, w.out});
    const auto in = x.as<T>();
    const auto out = y.template mutable_as<T>();
    const bool finite = all_finite(in);
    if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
    std::mutex mutex;
    parallel_for(x.dim(0) * x.dim(1), call.numerics.threads, [&](int64_t plane) {
        Rounder<T> round(call.numerics.overflow_mode());
        std::vector<W> values;
        auto next = static_cast<size_t>(plane * h.out * w.out);
        for (int64_t oh = 0; oh < h.out; ++oh)
            for (int64_t ow = 0; ow < w.out; ++ow, ++next) {
                const Window rows = window_of(h, oh);
                const Window columns = window_of(w, ow);
                values.clear();
                for (int64_t r = rows.begin; r < rows.end; ++r)
                    for (int64_t c = columns.begin; c < columns.end; ++c)
                        values.push_back(
                            widen<W>(in[static_cast<size_t>((plane * h.size + r) * w.size + c)]));
                const int64_t count = divisor != 0 ? divisor
                                      : include_pad
                                          ? rows.padded * columns.padded
                                          : (rows.end - rows.begin) * (columns.end - columns.begin);
                const W sum = pairwise_sum(std::span<W>(values));
                out[next] = round(static_cast<double>(sum * (W{1} / static_cast<W>(count))),
                                  [finite] { return finite; });
            }
        const std::lock_guard guard(mutex);
        call.status.merge(round.status());
    });
    call.outputs = {std::move(y)};
}

void run_average_pool(KernelCall& call) {
    if (call.input(0).ndim() != 4) call.refuse(call.input(0).dtype());
    const Axis h = axis_of(call, 0, "pads", 0);
    const Axis w = axis_of(call, 1, "pads", 2);
    take_windows(call, h, w);
    visit_float(call, call.input(0).dtype(), [&]<class T>() { average_pool<T>(call, h, w); });
}

}  // namespace

std::span<const Kernel> pooling_kernels() {
    using enum Held;
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "MaxPoolWithArgmaxV1",
         .exact = true,
         .formats = {{kBlocked}, {kBlocked}},
         .formula = "maximum of each window and its place in the image plane; padding never wins, "
                    "nan does",
         .dtypes = "floats, exact; the place as int64 (the CANN operator writes uint16 masks)",
         .source = "; places ours",
         .run = run_max_pool},
        {.type = "AvgPoolV2",
         .formula = "sum of each window times 1/count, neighbours in pairs",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_average_pool},
    });
    return kRows;
}

}  // namespace npuscope::backend
