// Where the windows of a convolution or pooling lie: kernel, stride, dilation and pads.
#pragma once

#include <cstdint>
#include <span>

#include "core/ir/value.h"

namespace npuscope::onnx_model {

class NodeRun;

/// One number per spatial dimension.
struct Windows {
    IntList kernel;
    IntList stride;
    IntList dilation;
    IntList pads_begin;
    IntList pads_end;

    [[nodiscard]] bool symmetric() const { return pads_begin == pads_end; }
    /// Pads as constant_pad_nd takes them: last dimension first, begin and end of each.
    [[nodiscard]] IntList pads_last_first() const;
    /// The pads that IR ops take: equal at both ends.
    [[nodiscard]] IntList padding() const { return pads_begin; }
};

/// From the attributes kernel_shape, strides, dilations, pads and auto_pad. `kernel` is used where
/// kernel_shape is absent, `sizes` are the input's spatial dimensions.
/// Errors: Error(kFormat) numbers that make no sense.
/// Source: ONNX Operators, Conv and AveragePool.
[[nodiscard]] Windows read_windows(const NodeRun& node,
                                   const IntList& kernel,
                                   std::span<const int64_t> sizes);

/// `input` padded with `value`, and `windows` without pads.
Tensor pad_windows(NodeRun& node, const Tensor& input, Windows& windows, double value);

/// Unequal pads become an op of their own: `input` padded with `value`, and `windows` without pads.
Tensor pad_unless_symmetric(NodeRun& node, const Tensor& input, Windows& windows, double value);

}  // namespace npuscope::onnx_model
