// The checksum of HDF5's newer metadata. Included by core/h5/*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace npuscope::h5 {

/// Bob Jenkins's "lookup3" hash of the bytes with initial value 0.
/// Source  R. J. Jenkins, hashlittle (public domain); HDF5 File Format Specification, checksums.
[[nodiscard]] uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace npuscope::h5
