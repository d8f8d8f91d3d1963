// How far two tensors of one numel are apart, from some of their elements or from all.
#pragma once

#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// rms(one - other) / rms(other) over pairs of finite elements; infinite where one side alone is
/// not finite, or the numels differ. Some thousand elements, spread over the tensor, tell it.
/// Errors: as ElementSource::range(). Threads: pure function.
[[nodiscard]] double sampled_distance(const ElementSource& one, const ElementSource& other);

/// The same over all elements of tensors in memory.
[[nodiscard]] double distance_of(const Tensor& one, const Tensor& other);

}  // namespace npuscope::compare
