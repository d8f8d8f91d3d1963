// The right sides of convolutions as matrix products, gathered panel by panel.
#pragma once

#include "npu_backend/kernels/convolution/convolution_geometry.h"
#include "npu_backend/numerics/gemm.h"

namespace npuscope::backend {

/// Columns are output pixels, k runs over (channel, tap): what the filter meets in one image's
/// channels of a group. `image` is borrowed.
template <class W>
[[nodiscard]] PackPanel<W> image_columns(const ConvolutionGeometry& g, const W* image);

/// Columns are input pixels, k runs over (output channel, tap): the gradients that reach a pixel, 0
/// where a stride steps over it. `gradient`: one image's channels of a group.
template <class W>
[[nodiscard]] PackPanel<W> gradient_columns(const ConvolutionGeometry& g, const W* gradient);

/// Columns are (channel, tap) of a group, k runs over (image, output pixel): what a weight has met.
template <class W>
[[nodiscard]] PackPanel<W> weight_columns(const ConvolutionGeometry& g,
                                          const W* images,
                                          int threads);

}  // namespace npuscope::backend
