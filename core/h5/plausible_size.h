// How much a dataset may claim. Included by core/h5/*.cpp only.
#pragma once

#include <cstdint>

namespace npuscope::h5 {

/// Deflate packs at most 1032-fold.
inline constexpr uint64_t kMostPacked = 1100;
/// Bytes of the datasets of which nothing is stored.
inline constexpr uint64_t kMostUnwritten = uint64_t{1} << 30;

}  // namespace npuscope::h5
