// Copies elements between two arrays whose order of dimensions differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npuscope::layout {

/// One nested loop: `extent` steps, so many elements apart in the source and in the target.
struct Loop {
    int64_t extent = 1;
    int64_t source_stride = 0;
    int64_t target_stride = 0;
};

/// target[sum of i * target_stride] = source[sum of i * source_stride] over all loops, in any
/// order. No two steps write the same element. `element_size` is in bytes, 1 to 16.
/// Complexity: one read and one write an element, in pieces that stay in the caches.
void strided_copy(std::vector<Loop> loops,
                  size_t element_size,
                  const std::byte* source,
                  std::byte* target);

}  // namespace npuscope::layout
