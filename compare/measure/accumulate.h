// Gathers the sums of one tensor pair, tile by tile over threads.
#pragma once

#include <cstddef>

#include "compare/measure/sums.h"
#include "core/tensor/element_source.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// Elements of one tile. Groups of tiles are merged in order, so that the sums have the same bits
/// for any number of threads.
inline constexpr size_t kTile = 8192;

/// Whether two dtypes can be compared: both float, or both integer or bool.
[[nodiscard]] bool are_comparable(DType target, DType golden);

/// The sums over two tensors of equal numel and comparable dtypes; golden elements are rounded to
/// the target's dtype first. One pass; `divergence` adds a second. Errors: Error(kInternal) when
/// the preconditions do not hold, those of the sources.
[[nodiscard]] Sums accumulate(const ElementSource& target,
                              const ElementSource& golden,
                              bool divergence,
                              int threads);
[[nodiscard]] Sums accumulate(const Tensor& target,
                              const Tensor& golden,
                              bool divergence,
                              int threads);

}  // namespace npuscope::compare
