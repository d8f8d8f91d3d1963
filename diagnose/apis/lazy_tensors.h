// Recorded tensors in another form, which is made when their elements are asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ir/value.h"
#include "core/recording/source.h"

namespace npuscope::diagnose {

/// `make` is given the elements of `tensor`. Errors of opening: as the tensor's, and make's.
[[nodiscard]] SourceTensor made_of(SourceTensor tensor,
                                   DType dtype,
                                   Shape shape,
                                   std::function<Tensor(const Tensor&)> make);
/// As many elements.
[[nodiscard]] SourceTensor reshaped(SourceTensor tensor, Shape shape);
[[nodiscard]] SourceTensor transposed(const SourceTensor& tensor, int64_t dim0, int64_t dim1);
[[nodiscard]] SourceTensor permuted(const SourceTensor& tensor, const std::vector<int64_t>& dims);
/// Broadcast.
[[nodiscard]] SourceTensor expanded(const SourceTensor& tensor, const Shape& shape);
[[nodiscard]] SourceTensor cast_to(const SourceTensor& tensor, DType dtype);
/// Of a power of two, exact.
[[nodiscard]] SourceTensor doubled(const SourceTensor& tensor);

/// A dimension counted from the end is counted from the beginning. Errors: Error(kUnsupported).
[[nodiscard]] int64_t dimension(int64_t dim, size_t ndim);
/// Errors: Error(kUnsupported) on a dtype that is not known.
[[nodiscard]] DType dtype_of(const SourceTensor& tensor);

}  // namespace npuscope::diagnose
