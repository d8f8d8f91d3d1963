// Recognises a tensor's values after a reshape, a permutation of its axes or a widening cast.
#pragma once

#include <compare>
#include <cstdint>

#include "core/recording/recorded_statistics.h"
#include "core/tensor/tensor.h"

namespace npuscope::overflow {

/// Sums over the elements of two hashes of each element's value, so that their order does not
/// matter. Equal value multisets have equal fingerprints whatever the (floating) dtype; others
/// differ but for chance (2^-128). All nans are one value.
struct Fingerprint {
    int64_t numel = 0;
    uint64_t first = 0;
    uint64_t second = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 is that of the compiler
    friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// About a nanosecond an element: for tensors that have been found damaged.
[[nodiscard]] Fingerprint fingerprint_of(const TensorView& elements);

/// Of a tensor that is kept by its numbers alone: tensors whose numbers are equal to the last bit
/// count as one. Never that of elements.
[[nodiscard]] Fingerprint fingerprint_of(const RecordedStatistics& statistics, int64_t numel);

}  // namespace npuscope::overflow
