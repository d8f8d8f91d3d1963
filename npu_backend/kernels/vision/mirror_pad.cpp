// Padding with elements of the tensor itself, reflected or repeated at the edge, and its gradient.
#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "npu_backend/kernels/vision/resample.h"

namespace npuscope::backend {

namespace {

/// Attributes paddings (before and after each padded axis), mode "reflect" or "edge".
TapVolume volume_of(const KernelCall& call, const Shape& shape) {
    const IntList& paddings = call.ints("paddings");
    const size_t spatial = paddings.size() / 2;
    const bool reflect = call.text("mode") == "reflect";
    const auto reject = [&] {
        call.reject("paddings " + to_string(paddings) + " do not fit " + to_string(shape));
    };
    if (spatial < 1 || spatial > 3 || shape.size() < spatial) reject();
    TapVolume volume;
    for (size_t i = 0; i < spatial; ++i) {
        const int64_t size = shape[shape.size() - spatial + i];
        const int64_t before = paddings[2 * i];
        const int64_t after = paddings[2 * i + 1];
        if (size < 1 || size + before + after < 1 || (reflect && (before >= size || after >= size)))
            reject();
        TapAxis& axis = volume[3 - spatial + i];
        axis = {size, {}};
        for (int64_t o = -before; o < size + after; ++o) {
            int64_t place = std::clamp<int64_t>(o, 0, size - 1);
            if (reflect && o < 0) place = -o;
            if (reflect && o >= size) place = 2 * (size - 1) - o;
            axis.taps.push_back({{place, 1.0}});
        }
    }
    return volume;
}

void run_mirror_pad(KernelCall& call) {
    const Tensor& x = call.input(0);
    call.outputs = {
        resampled(call, x, volume_of(call, x.shape()), call.ints("paddings").size() / 2)};
}

/// Attribute input_size: the shape of the forward kernel's input.
void run_mirror_pad_gradient(KernelCall& call) {
    const Shape& shape = call.ints("input_size");
    call.outputs = {resampled_gradient(call, call.input(0), shape, volume_of(call, shape))};
}

}  // namespace

std::span<const Kernel> mirror_pad_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "MirrorPad",
         .unit = Unit::kMove,
         .formula = "x surrounded by its own elements: reflected, or the edge repeated",
         .dtypes = "floats; values unchanged",
         .source = "CANN operators MirrorPad and PadV3 in mode edge",
         .run = run_mirror_pad},
        {.type = "PadV3Grad",
         .formula = "the sum of the gradients of an element's copies",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_mirror_pad_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
