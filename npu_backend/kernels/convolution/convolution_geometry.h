// Sizes and places of a convolution of one to three spatial dimensions, held as three.
#pragma once

#include <array>
#include <cstdint>

#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

/// A convolution from `inputs` channels of `size` to `outputs` channels of `out`; weights are
/// [outputs, inputs / groups, taps…]. Dimensions that a kernel does not have are 1.
struct ConvolutionGeometry {
    using Three = std::array<int64_t, 3>;
    int64_t batch = 0, inputs = 0, outputs = 0, groups = 1;
    Three size{1, 1, 1}, out{1, 1, 1}, taps{1, 1, 1};
    Three stride{1, 1, 1}, pad{0, 0, 0}, dilation{1, 1, 1};
    size_t spatial = 2;

    [[nodiscard]] int64_t group_inputs() const { return inputs / groups; }
    [[nodiscard]] int64_t group_outputs() const { return outputs / groups; }
    [[nodiscard]] int64_t tap_count() const { return taps[0] * taps[1] * taps[2]; }
    [[nodiscard]] int64_t pixels() const { return size[0] * size[1] * size[2]; }
    [[nodiscard]] int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
    /// [batch, channels, last `spatial` of three…]
    [[nodiscard]] Shape shape(int64_t channels, const Three& three) const;
};

/// From input and weight. Errors: Error(kUsage) when they do not fit the attributes.
[[nodiscard]] ConvolutionGeometry forward_geometry(const KernelCall& call,
                                                   const Shape& input,
                                                   const Shape& weight);
/// Of the convolution whose input gradient a transposed convolution is: `output` is that
/// convolution's, and its input gets `output_padding` more elements at the end.
[[nodiscard]] ConvolutionGeometry transposed_geometry(const KernelCall& call,
                                                      const Shape& output,
                                                      const Shape& weight);
[[noreturn]] void convolution_misfit(const KernelCall& call);

}  // namespace npuscope::backend
