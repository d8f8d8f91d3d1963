// Undoes what filters did to a piece of a dataset. Included by core/h5/*.cpp and their tests.
#pragma once

#include <cstddef>
#include <span>

#include "core/h5/stored_chunks.h"

namespace npuscope::h5 {

/// Puts the elements of a piece, as the file stores them, into `target`, which is as long as they
/// are. Throws Damaged when the bytes do not unpack to that, or contradict their checksum.
void unfilter(const Filters& filters,
              uint32_t left_out,
              uint32_t element_bytes,
              std::span<const std::byte> stored,
              std::span<std::byte> target);

}  // namespace npuscope::h5
