// How far two tensors of one numel are apart, from some of their elements or from all.
#pragma once

#include <cstdint>

#include "compare/dataflow/paired_flows.h"
#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// What a distance is held against.
enum class Beside : uint8_t {
    kSize,    ///< rms(other)
    kSpread,  ///< rms(other - mean(other)): weights of a norm are all near 1
};

/// rms(one - other) / rms(other) over pairs of finite elements; infinite where one side alone is
/// not finite, or the numels differ. Some thousand elements, spread over the tensor, tell it.
/// Errors: as ElementSource::range(). Threads: pure function.
[[nodiscard]] double sampled_distance(const ElementSource& one,
                                      const ElementSource& other,
                                      Beside beside = Beside::kSize);

/// The same over all elements of tensors in memory.
[[nodiscard]] double distance_of(const Tensor& one, const Tensor& other);

/// The largest distance of a paired output of floats that the target made before this op; infinite
/// where one cannot be read.
[[nodiscard]] double distance_before(const PairedFlows& flows, size_t target_op);

}  // namespace npuscope::compare
