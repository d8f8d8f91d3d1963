// Whether two recorded tensors have the same bits.
#pragma once

#include <cstdint>
#include <string>

#include "core/recording/source.h"

namespace npuscope::diagnose {

enum class Equality : uint8_t {
    kEqual,
    kDiffers,
    kUnknown,  ///< neither elements nor hashes of one kind on both sides
};

/// By elements, else by hashes; elements against a hash of ours (core/tensor/byte_hash.h), too.
/// Tensors of other dtypes or shapes differ. Ignored elements
/// of either are not compared. What could not be read is unknown.
[[nodiscard]] Equality compare_bits(const SourceTensor& a, const SourceTensor& b);

/// The same for tensors that one may be a view of the other: shapes of one size count as equal.
[[nodiscard]] Equality compare_contents(const SourceTensor& a, const SourceTensor& b);

}  // namespace npuscope::diagnose
