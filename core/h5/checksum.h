// The checksum of HDF5's newer metadata. Included by core/h5/*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace npuscope::h5 {

/// Bob Jenkins's "lookup3" hash of the bytes with initial value 0.
/// Source  R. J. Jenkins, hashlittle (public domain); HDF5 File Format Specification, checksums.
[[nodiscard]] uint32_t checksum(std::span<const std::byte> bytes);

/// Whether a stored checksum is that of the bytes. A build for fuzzing believes all of them, or it
/// would hardly get past the first one.
[[nodiscard]] inline bool has_checksum(std::span<const std::byte> bytes, uint32_t stored) {
#ifdef NPUSCOPE_IGNORE_CHECKSUMS
    static_cast<void>(bytes), static_cast<void>(stored);
    return true;
#else
    return checksum(bytes) == stored;
#endif
}

}  // namespace npuscope::h5
