// What HDF5 1.8 to 1.14 tell of objects and links, asked by each version's own functions: their
// names and the types of their answers changed in 1.10.3 and 1.12. Included by core/h5/*.cpp only,
// used under the library's lock.
#pragma once

#include <cstdint>
#include <optional>

#include <hdf5.h>

namespace npuscope::h5 {

#if H5_VERSION_GE(1, 12, 0)
using LinkFacts = H5L_info2_t;
#else
using LinkFacts = H5L_info_t;
#endif

/// Where an object lies: two names of one object give the same place.
struct ObjectPlace {
    unsigned long file_number = 0;  ///< differs behind an external link
    uint64_t address = 0;

    friend bool operator==(const ObjectPlace&, const ObjectPlace&) = default;
};

/// Empty when the library cannot tell; its error stack is left as it is.
std::optional<ObjectPlace> place_of(hid_t object);
std::optional<uint64_t> attribute_count_of(hid_t object);

/// Of a hard link listed in `group`; empty for every other link.
std::optional<uint64_t> hard_link_address(hid_t group, const LinkFacts& link);

/// Calls `visit` for each link of `group` from `position` on, in the order of `index`. Negative on
/// failure.
herr_t each_link(hid_t group,
                 H5_index_t index,
                 hsize_t& position,
                 herr_t (*visit)(hid_t, const char*, const LinkFacts*, void*),
                 void* target);

}  // namespace npuscope::h5
