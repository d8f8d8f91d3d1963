// Copies out of a C-order tensor through other strides: what views and axis moves are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::backend {

/// An element layout over another tensor's storage; strides in elements, 0 repeats.
struct Strided {
    Shape shape;
    std::vector<int64_t> strides;
    int64_t offset = 0;

    [[nodiscard]] static Strided of(const Tensor& tensor) {
        return {tensor.shape(), contiguous_strides(tensor.shape()), 0};
    }
};

/// The elements of `source` that `layout` names, in C order. The caller keeps them inside.
[[nodiscard]] Tensor gather(const Tensor& source, const Strided& layout);

/// Axes in the order `dims`; a copy unless the order is the tensor's own.
[[nodiscard]] Tensor permuted(const Tensor& source, const std::vector<int64_t>& dims);

/// Strides that read a tensor of `shape` as one of `target` (NumPy's broadcasting).
/// Errors: Error(kUsage) when it does not broadcast.
[[nodiscard]] std::vector<int64_t> broadcast_strides(const Shape& shape, const Shape& target);

/// NumPy's broadcasting of two shapes. Errors: Error(kUsage).
[[nodiscard]] Shape broadcast_shapes(const Shape& a, const Shape& b);

/// `axis` counted from the front. Errors: Error(kUsage) when it is outside `ndim` dimensions.
[[nodiscard]] int64_t normalized_axis(int64_t axis, int64_t ndim);

}  // namespace npuscope::backend
