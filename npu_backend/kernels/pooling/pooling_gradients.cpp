// Gradients of pooling: each window's gradient goes back to the elements that made it.
#include <array>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/pooling/pooling_windows.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

void require_gradient(const KernelCall& call, const Tensor& gradient, const Shape& expected) {
    if (gradient.shape() != expected)
        call.reject("the gradient " + to_string(gradient.shape()) + " is not of shape " +
                    to_string(expected));
}

/// Sums of each plane in the wide type, rounded once. `add(plane, dy, dx)` fills one plane.
template <class T, class Add>
Tensor spread_planes(
    KernelCall& call, const Tensor& gradient, const Shape& shape, int64_t planes, Add&& add) {
    using W = Wide<T>;
    Tensor dx(gradient.dtype(), shape);
    const auto in = gradient.as<T>();
    const auto out = dx.template mutable_as<T>();
    const auto each = planes == 0 ? 0 : out.size() / static_cast<size_t>(planes);
    const auto places = planes == 0 ? 0 : in.size() / static_cast<size_t>(planes);
    const bool finite = all_finite(in);
    if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
    std::mutex mutex;
    parallel_for(planes, call.numerics.threads, [&](int64_t plane) {
        std::vector<W> sums(each, W{0});
        const auto p = static_cast<size_t>(plane);
        add(plane, in.subspan(p * places, places), std::span<W>(sums));
        Rounder<T> round(call.numerics.overflow_mode());
        for (size_t i = 0; i < each; ++i)
            out[p * each + i] = round(static_cast<double>(sums[i]), [finite] { return finite; });
        const std::lock_guard guard(mutex);
        call.status.merge(round.status());
    });
    return dx;
}

/// Inputs x, grad, argmax: places in the plane. The last `spatial` axes are a plane.
template <size_t kSpatial>
void run_max_gradient(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Tensor& gradient = call.input(1);
    const Tensor& places = call.input(2);
    if (x.shape().size() < kSpatial || gradient.dtype() != x.dtype()) call.refuse(gradient.dtype());
    require_gradient(call, gradient, places.shape());
    const auto outer = std::span(x.shape()).first(x.shape().size() - kSpatial);
    const int64_t planes = numel_of(outer);
    const int64_t each = planes == 0 ? 0 : x.numel() / planes;
    if (places.shape().size() != x.shape().size() ||
        !std::equal(outer.begin(), outer.end(), places.shape().begin()))
        require_gradient(call, gradient, x.shape());
    const Tensor wide = places.cast(DType::kInt64);
    const auto at = wide.as<int64_t>();
    for (const int64_t place : at)
        if (place < 0 || place >= each)
            call.reject("argmax " + std::to_string(place) + " is outside a plane of " +
                        std::to_string(each));
    visit_float(call, x.dtype(), [&]<class T>() {
        call.outputs = {spread_planes<T>(
            call, gradient, x.shape(), planes, [&](int64_t plane, auto dy, auto dx) {
                for (size_t i = 0; i < dy.size(); ++i)
                    dx[static_cast<size_t>(at[static_cast<size_t>(plane) * dy.size() + i])] +=
                        widen<Wide<T>>(dy[i]);
            })};
    });
}

/// Each element of dy, over its window's count, to the window's elements.
template <class T, class W>
void share_out(const PoolVolume& volume,
               int64_t divisor,
               bool with_padding,
               std::span<const T> dy,
               std::span<W> dx) {
    volume.for_places([&](int64_t place, const std::array<PoolWindow, 3>& window) {
        const int64_t count = pool_count(window, divisor, with_padding);
        const W share = widen<W>(dy[static_cast<size_t>(place)]) / static_cast<W>(count);
        volume.for_elements(window, [&](int64_t here) { dx[static_cast<size_t>(here)] += share; });
    });
}

void average_gradient(KernelCall& call, const PoolVolume& volume) {
    const Tensor& gradient = call.input(0);
    require_gradient(call, gradient, volume.out);
    const int64_t divisor = pool_divisor(call);
    const bool with_padding = call.flag("count_include_pad");
    visit_float(call, gradient.dtype(), [&]<class T>() {
        const auto share = [&](int64_t, std::span<const T> dy, std::span<Wide<T>> dx) {
            share_out(volume, divisor, with_padding, dy, dx);
        };
        call.outputs = {spread_planes<T>(call, gradient, volume.in, volume.planes, share)};
    });
}

/// Attribute orig_input_shape beside the forward kernel's.
void run_average_gradient(KernelCall& call) {
    average_gradient(call, regular_windows(call, call.ints("orig_input_shape")));
}

template <size_t kSpatial>
void run_adaptive_gradient(KernelCall& call) {
    const Shape& shape = call.input(0).shape();
    if (shape.size() < kSpatial) call.refuse(call.input(0).dtype());
    average_gradient(
        call,
        adaptive_windows(
            call, call.ints("orig_input_shape"), IntList(shape.end() - kSpatial, shape.end())));
}

}  // namespace

std::span<const Kernel> pooling_gradients_kernels() {
    using enum Held;
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "MaxPoolGradWithArgmaxV1",
         .formats = {{kBlocked, kBlocked}, {kBlocked}},
         .formula = "the sum of the gradients of the windows whose maximum an element was",
         .dtypes = kThroughFloat32,
         .source = "; places as ATen counts them",
         .run = run_max_gradient<2>},
        {.type = "MaxPool3DGrad",
         .formula = "the same over three axes",
         .dtypes = kThroughFloat32,
         .source = "; it takes the places here",
         .run = run_max_gradient<3>},
        {.type = "AvgPoolV2Grad",
         .formula = "the sum of the gradients of an element's windows, each over its count",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_average_gradient},
        {.type = "AvgPool3DGrad",
         .formula = "the same over three axes",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_average_gradient},
        {.type = "AdaptiveAvgPool2dGrad",
         .formula = "the same with adaptive windows",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_adaptive_gradient<2>},
        {.type = "AdaptiveAvgPool3dGrad",
         .formula = "the same with adaptive windows over three axes",
         .dtypes = kThroughFloat32,
         .source = "ours",
         .run = run_adaptive_gradient<3>},
    });
    return kRows;
}

}  // namespace npuscope::backend
