// Where elements are furthest from others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::diagnose {

/// About `count` places: of each stretch of elements those that are furthest off, absolutely and
/// beside their size, in turn; the furthest of all first. Both have as many elements. Complexity:
/// one pass, and a sort of `count` places.
[[nodiscard]] std::vector<int64_t> furthest_off(const Tensor& recorded,
                                                const Tensor& expected,
                                                int64_t count);
[[nodiscard]] std::vector<int64_t> furthest_off(const Tensor& recorded,
                                                std::span<const double> expected,
                                                int64_t count);

}  // namespace npuscope::diagnose
