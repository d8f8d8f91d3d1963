// Pieces of memory put one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npuscope::diagnose {

/// Copies the pieces of `size` bytes at these places, counted in pieces from `from` on, to `to`;
/// returns what is behind the last one.
std::byte* gather(const std::byte* from,
                  const std::vector<int64_t>& places,
                  size_t size,
                  std::byte* to);

}  // namespace npuscope::diagnose
