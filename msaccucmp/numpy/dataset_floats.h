// A dataset's elements as flat float32, as the reference tool's NumPy makes them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/h5/elements.h"
#include "core/tensor/tensor.h"
#include "msaccucmp/numpy/float_source.h"

namespace npuscope::msaccucmp {

/// In the order in which they are stored; straight from the mapped file where they are float32.
[[nodiscard]] std::unique_ptr<FloatSource> stored_order(h5::Elements elements);
[[nodiscard]] std::unique_ptr<FloatSource> stored_order(const Tensor& tensor);

/// Read through other strides: element (i, j, …) is stored[i*s0 + j*s1 + …]. Errors: Error(kFormat)
/// when an index falls outside the data, as soon as such an element is asked for.
[[nodiscard]] std::unique_ptr<FloatSource> through_strides(h5::Elements elements,
                                                           std::vector<int64_t> strides);
[[nodiscard]] std::unique_ptr<FloatSource> through_strides(const Tensor& tensor,
                                                           std::vector<int64_t> strides);

/// Whether `strides` fit the shape: as many as dimensions, 1 + sum (dim-1)*stride <= numel.
[[nodiscard]] bool strides_fit(const Shape& shape, std::span<const int64_t> strides);

}  // namespace npuscope::msaccucmp
