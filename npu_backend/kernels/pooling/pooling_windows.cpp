#include "npu_backend/kernels/pooling/pooling_windows.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/tensor/op_budget.h"

namespace npuscope::backend {

namespace {

[[noreturn]] void misfit(const KernelCall& call, const Shape& input) {
    call.reject("windows do not fit " + to_string(input));
}

/// One axis by its attributes.
struct Step {
    int64_t kernel, stride, before, after, dilation;
};

PoolAxis axis_of(const KernelCall& call, const Shape& input, int64_t size, const Step& s) {
    const int64_t reach = s.dilation * (s.kernel - 1) + 1;
    const int64_t span = size + s.before + s.after - reach;
    if (s.kernel < 1 || s.stride < 1 || s.dilation < 1 || s.before < 0 || s.after < 0 ||
        2 * std::max(s.before, s.after) > s.kernel || span < 0)
        misfit(call, input);
    const bool ceil = call.flag("ceil_mode");
    int64_t out = (span + (ceil ? s.stride - 1 : 0)) / s.stride + 1;
    // The last window starts inside the image or its left padding.
    if (ceil && (out - 1) * s.stride >= size + s.before) --out;
    OpBudget::take_steps({out});
    PoolAxis axis{size, s.dilation, {}};
    for (int64_t o = 0; o < out; ++o) {
        const int64_t start = o * s.stride - s.before;
        const int64_t end = start + reach;
        // The first element inside, on the window's own grid.
        const int64_t skipped = start < 0 ? (-start + s.dilation - 1) / s.dilation : 0;
        axis.windows.push_back({start + skipped * s.dilation,
                                std::min(end, size),
                                std::min(end, size + s.after) - start});
    }
    return axis;
}

/// All elements that the windows read.
void take_windows(const PoolVolume& volume) {
    int64_t largest = 1;
    for (const PoolAxis& axis : volume.axes) {
        int64_t most = 0;
        for (const PoolWindow& window : axis.windows)
            most = std::max(most, (window.end - window.begin + axis.step - 1) / axis.step);
        largest *= std::max<int64_t>(most, 1);
    }
    OpBudget::take_steps(
        {volume.planes, volume.axes[0].out(), volume.axes[1].out(), volume.axes[2].out(), largest});
}

PoolVolume volume_of(const KernelCall& call, const Shape& input, size_t spatial) {
    if (spatial < 1 || spatial > 3 || input.size() < spatial) misfit(call, input);
    PoolVolume volume;
    volume.in = input;
    volume.out = input;
    volume.planes = numel_of(std::span(input).first(input.size() - spatial));
    return volume;
}

}  // namespace

PoolVolume regular_windows(const KernelCall& call, const Shape& input) {
    const IntList& kernel = call.ints("ksize");
    const IntList& strides = call.ints("strides");
    const IntList& pads = call.ints("pads");
    const size_t spatial = input.size() - 2;
    PoolVolume volume = volume_of(call, input, spatial);
    if (kernel.size() != input.size() || strides.size() != input.size() ||
        pads.size() != 2 * spatial)
        misfit(call, input);
    for (size_t i = 0; i < spatial; ++i) {
        const Step step{kernel[2 + i],
                        strides[2 + i],
                        pads[2 * i],
                        pads[2 * i + 1],
                        call.has_attribute("dilation") ? call.ints("dilation")[2 + i] : 1};
        PoolAxis& axis = volume.axes[3 - spatial + i];
        axis = axis_of(call, input, input[2 + i], step);
        volume.out[2 + i] = axis.out();
    }
    take_windows(volume);
    return volume;
}

PoolVolume adaptive_windows(const KernelCall& call,
                            const Shape& input,
                            const IntList& output_size) {
    const size_t spatial = output_size.size();
    PoolVolume volume = volume_of(call, input, spatial);
    for (size_t i = 0; i < spatial; ++i) {
        const size_t at = input.size() - spatial + i;
        const int64_t size = input[at];
        const int64_t out = output_size[i];
        if (out < 0 || (size == 0 && out != 0)) misfit(call, input);
        PoolAxis& axis = volume.axes[3 - spatial + i];
        axis = {size, 1, {}};
        OpBudget::take_steps({out});
        for (int64_t o = 0; o < out; ++o) {
            const int64_t begin = o * size / out;
            const int64_t end = ((o + 1) * size + out - 1) / out;
            axis.windows.push_back({begin, end, end - begin});
        }
        volume.out[at] = out;
    }
    take_windows(volume);
    return volume;
}

}  // namespace npuscope::backend
