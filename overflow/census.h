// What one pass over the bits of a floating-point tensor counts; the detectors read it.
#pragma once

#include <cstdint>

#include "core/recording/recorded_statistics.h"
#include "core/tensor/tensor.h"

namespace npuscope::overflow {

/// Counts over the elements seen; whole tensors are sums of tiles.
struct Census {
    int64_t numel = 0;
    int64_t inf = 0;  ///< of either sign
    int64_t nan = 0;
    int64_t at_limit = 0;       ///< |x| equals the dtype's largest finite value
    int64_t at_half_limit = 0;  ///< |x| equals 65504, for dtypes that can go beyond
    int64_t subnormal = 0;
    double max_finite = 0;       ///< largest finite |x|; 0 when there is none, or none is known
    bool counted = true;         ///< false: from recorded statistics, where 1 stands for any
    bool extremes_known = true;  ///< false: max_finite is not told

    /// The census of both parts together; any order gives the same.
    void merge(const Census& other);
    [[nodiscard]] bool non_finite() const { return inf + nan > 0; }
};

/// Counts `elements` as values of `value_dtype`. The two differ where a file holds float16 or
/// bfloat16 as float32: then the narrower dtype's limits apply to the wider bits, exactly.
///
/// Shape   any. Alignment of the data: none needed.
/// Edge    an integer or bool tensor has nothing to count: only numel is set.
/// Speed   bound by memory: two vector operations an element; a tile of 8192 elements is counted
///         in detail only when its largest or smallest magnitude calls for it.
/// Threads 0: all cores for large tensors; the result does not depend on it.
[[nodiscard]] Census take_census(const TensorView& elements, DType value_dtype, int threads = 1);
[[nodiscard]] inline Census take_census(const TensorView& elements, int threads = 1) {
    return take_census(elements, elements.dtype, threads);
}

/// What a recorder's statistics tell of a tensor of `numel` elements: its extremes show infinities,
/// nans and the largest finite value, its mean or norm where there are no extremes. Subnormals do
/// not show, nor finite extremes beside an infinity.
[[nodiscard]] Census census_of_statistics(const RecordedStatistics& statistics,
                                          int64_t numel,
                                          DType value_dtype);

}  // namespace npuscope::overflow
