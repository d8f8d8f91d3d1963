// What the library tells of one open object. Included by core/h5/*.cpp only, under the library's
// lock.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hdf5.h>

#include "core/h5/h5.h"
#include "core/h5/library_version.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

ObjectKind kind_of(hid_t object);

/// h5py lists a group by name unless it tracks the order in which links were made. With older HDF5
/// it lists a file (not the group "/") by name all the same.
H5_index_t h5py_index(hid_t group);

/// For each_link(): appends each link's name to the std::vector<std::string> `target`.
herr_t collect_name(hid_t group, const char* name, const LinkFacts* facts, void* target);

Shape shape_of(hid_t space, const std::string& what);

/// One string of a type; `read_into` gets the memory type and the target. "" when it cannot be
/// read.
std::string read_text(hid_t type,
                      hssize_t count,
                      const std::function<herr_t(hid_t, void*)>& read_into);

/// `what` names the dataset in messages.
DatasetInfo info_of(hid_t dataset, const std::string& what);

std::optional<std::vector<int64_t>> integers_of(hid_t attribute);
std::string text_of(hid_t attribute, hid_t type);

/// A damaged dataset may claim any size. What the file can hold bounds what is allocated: stored
/// elements take their place in the file, deflate packs at most 1032-fold, and elements that were
/// never written (fill values), or that other datasets show, are believed up to a limit.
void require_plausible_size(hid_t dataset,
                            const std::string& what,
                            std::span<const int64_t> shape,
                            size_t element_size);

}  // namespace npuscope::h5
