// Where an HDF5 file's tree begins. Included by core/h5/*.cpp and their tests.
#pragma once

#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

struct Superblock {
    FileBytes file;     ///< addresses count from the superblock (after a user block)
    uint64_t root = 0;  ///< address of the root group's object header
    uint64_t extension = kUndefinedAddress;
};

/// Versions 0 to 3 with addresses and lengths of 8 bytes. Throws Damaged or Unsupported.
Superblock read_superblock(std::span<const std::byte> bytes);

}  // namespace npuscope::h5
