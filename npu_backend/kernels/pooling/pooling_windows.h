// The windows of a pooling kernel along up to three axes, regular or adaptive.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

/// Elements begin, begin + step, … below end of one axis; `padded` counts the padding too.
struct PoolWindow {
    int64_t begin, end, padded;
};

/// The windows of one axis of `size` elements.
struct PoolAxis {
    int64_t size = 1;
    int64_t step = 1;
    std::vector<PoolWindow> windows = {{0, 1, 1}};

    [[nodiscard]] int64_t out() const { return static_cast<int64_t>(windows.size()); }
};

/// Depth, height and width of a tensor [planes…, D, H, W]; axes that it does not have are of
/// size 1.
struct PoolVolume {
    std::array<PoolAxis, 3> axes;
    int64_t planes = 0;
    Shape in, out;  ///< of the whole tensors

    [[nodiscard]] int64_t elements() const { return axes[0].size * axes[1].size * axes[2].size; }
    [[nodiscard]] int64_t places() const { return axes[0].out() * axes[1].out() * axes[2].out(); }
    /// Calls f(place, windows of the three axes) in C order.
    template <class F>
    void for_places(F&& f) const {
        int64_t place = 0;
        for (const PoolWindow& d : axes[0].windows)
            for (const PoolWindow& h : axes[1].windows)
                for (const PoolWindow& w : axes[2].windows)
                    f(place++, std::array<PoolWindow, 3>{d, h, w});
    }
    /// Calls f(element) for the elements of a window in C order.
    template <class F>
    void for_elements(const std::array<PoolWindow, 3>& window, F&& f) const {
        for (int64_t d = window[0].begin; d < window[0].end; d += axes[0].step)
            for (int64_t h = window[1].begin; h < window[1].end; h += axes[1].step)
                for (int64_t w = window[2].begin; w < window[2].end; w += axes[2].step)
                    f((d * axes[1].size + h) * axes[2].size + w);
    }
};

/// Attributes ksize and strides [1, 1, …], pads (before and after each axis), dilation and
/// ceil_mode on [N, C, …] of one to three axes. Errors: Error(kUsage) when they do not fit.
[[nodiscard]] PoolVolume regular_windows(const KernelCall& call, const Shape& input);

/// Attribute output_size: windows that share `input`'s last axes as evenly as they can.
[[nodiscard]] PoolVolume adaptive_windows(const KernelCall& call,
                                          const Shape& input,
                                          const IntList& output_size);

/// Attribute divisor_override, 0 where there is none.
[[nodiscard]] inline int64_t pool_divisor(const KernelCall& call) {
    return call.has_attribute("divisor_override") ? call.integer("divisor_override") : 0;
}

/// What a window's sum is divided by.
[[nodiscard]] inline int64_t pool_count(const std::array<PoolWindow, 3>& window,
                                        int64_t divisor,
                                        bool with_padding) {
    if (divisor != 0) return divisor;
    int64_t count = 1;
    for (const PoolWindow& w : window)
        count *= with_padding ? w.padded : w.end - w.begin;
    return count;
}

}  // namespace npuscope::backend
