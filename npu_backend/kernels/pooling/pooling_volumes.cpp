// Pooling over three axes, and over windows that adapt to the size asked for.
#include <array>
#include <mutex>

#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/pooling/pooling_windows.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// Maximum of each window and its place in the plane; the first of equals, nan before all.
template <class T>
void maximum(KernelCall& call, const PoolVolume& volume) {
    const Tensor& x = call.input(0);
    Tensor y(x.dtype(), volume.out);
    Tensor indices(DType::kInt64, volume.out);
    const auto in = x.as<T>();
    const auto out = y.template mutable_as<T>();
    const auto at = indices.mutable_as<int64_t>();
    parallel_for(volume.planes, call.numerics.threads, [&](int64_t plane) {
        const auto image = in.subspan(static_cast<size_t>(plane * volume.elements()));
        volume.for_places([&](int64_t place, const std::array<PoolWindow, 3>& window) {
            int64_t best = -1;
            volume.for_elements(window, [&](int64_t here) {
                const double value = to_double(image[static_cast<size_t>(here)]);
                if (best < 0 || value != value ||
                    value > to_double(image[static_cast<size_t>(best)]))
                    best = here;
            });
            const auto next = static_cast<size_t>(plane * volume.places() + place);
            out[next] = image[static_cast<size_t>(best)];
            at[next] = best;
        });
    });
    if (!all_finite(x)) call.status.raise(FloatStatus::kVectorInputNonFinite);
    call.outputs = {std::move(y), std::move(indices)};
}

template <class T>
void average(KernelCall& call, const PoolVolume& volume) {
    using W = Wide<T>;
    const Tensor& x = call.input(0);
    const int64_t divisor = pool_divisor(call);
    const bool with_padding = call.flag("count_include_pad");
    Tensor y(x.dtype(), volume.out);
    const auto in = x.as<T>();
    const auto out = y.template mutable_as<T>();
    const bool finite = all_finite(in);
    if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
    std::mutex mutex;
    parallel_for(volume.planes, call.numerics.threads, [&](int64_t plane) {
        Rounder<T> round(call.numerics.overflow_mode());
        std::vector<W> values;
        const auto image = in.subspan(static_cast<size_t>(plane * volume.elements()));
        volume.for_places([&](int64_t place, const std::array<PoolWindow, 3>& window) {
            values.clear();
            volume.for_elements(window, [&](int64_t here) {
                values.push_back(widen<W>(image[static_cast<size_t>(here)]));
            });
            const int64_t count = pool_count(window, divisor, with_padding);
            const W sum = pairwise_sum(std::span<W>(values));
            out[static_cast<size_t>(plane * volume.places() + place)] =
                round(static_cast<double>(sum * (W{1} / static_cast<W>(count))),
                      [finite] { return finite; });
        });
        const std::lock_guard guard(mutex);
        call.status.merge(round.status());
    });
    call.outputs = {std::move(y)};
}

template <bool kAdaptive, bool kMaximum>
void run_pool(KernelCall& call) {
    const Shape& shape = call.input(0).shape();
    if (!kAdaptive && shape.size() != 5) call.refuse(call.input(0).dtype());
    const PoolVolume volume = kAdaptive ? adaptive_windows(call, shape, call.ints("output_size"))
                                        : regular_windows(call, shape);
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        if constexpr (kMaximum)
            maximum<T>(call, volume);
        else
            average<T>(call, volume);
    });
}

}  // namespace

std::span<const Kernel> pooling_volumes_kernels() {
    constexpr std::string_view kMaximumTypes =
        "floats, exact; the place in the volume as int64, a second output";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "MaxPool3D",
         .formula = "maximum of each window; padding never wins, nan does",
         .dtypes = kMaximumTypes,
         .source = "; places ours",
         .run = run_pool<false, true>},
        {.type = "AvgPool3D",
         .formula = "sum of each window times 1/count, neighbours in pairs",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_pool<false, false>},
        {.type = "AdaptiveAvgPool2d",
         .formula = "mean of elements floor(o in/out) to ceil((o + 1) in/out) of each axis",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_pool<true, false>},
        {.type = "AdaptiveAvgPool3d",
         .formula = "the same over three axes",
         .dtypes = kThroughFloat32,
         .source = "ours",
         .run = run_pool<true, false>},
        {.type = "AdaptiveMaxPool2d",
         .formula = "maximum of the same windows",
         .dtypes = kMaximumTypes,
         .source = "ours",
         .run = run_pool<true, true>},
    });
    return kRows;
}

}  // namespace npuscope::backend
