// Where an HDF5 file's tree begins. Included by core/h5/*.cpp and their tests.
#pragma once

#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

struct Superblock {
    FileBytes file;     ///< addresses count from the superblock (after a user block)
    uint64_t root = 0;  ///< address of the root group's object header
    uint64_t extension = kUndefinedAddress;
    uint64_t end = 0;     ///< how long the file says it is, user block included
    bool in_use = false;  ///< a writer marked it (version 3) and has not closed it
};

/// Versions 0 to 3 with addresses and lengths of 8 bytes. Throws Damaged or Unsupported.
Superblock read_superblock(std::span<const std::byte> bytes);

}  // namespace npuscope::h5
