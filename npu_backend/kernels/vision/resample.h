// What each output element of an axis reads: input elements with weights, as resizing and padding
// do.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

/// One term of an output element.
struct Tap {
    int64_t place;
    double weight;
};

/// The terms of each output element of one axis of `size` input elements.
struct TapAxis {
    int64_t size = 1;
    std::vector<std::vector<Tap>> taps = {{{0, 1.0}}};

    [[nodiscard]] int64_t out() const { return static_cast<int64_t>(taps.size()); }
};

/// The last axes of a tensor; the ones that it does not resample are of size 1.
using TapVolume = std::array<TapAxis, 3>;

/// y = sum over the taps of the axes of weight x, in the wide type; one rounding. The last
/// `spatial` axes of x are the volume's.
[[nodiscard]] Tensor resampled(KernelCall& call,
                               const Tensor& x,
                               const TapVolume& volume,
                               size_t spatial);

/// The gradient of resampled(): `shape` is that of its input.
[[nodiscard]] Tensor resampled_gradient(KernelCall& call,
                                        const Tensor& gradient,
                                        const Shape& shape,
                                        const TapVolume& volume);

}  // namespace npuscope::backend
