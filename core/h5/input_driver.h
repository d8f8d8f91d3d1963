// The files that the HDF5 library may open while it reads one. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <string>

#include <hdf5.h>

#include "core/h5/handle.h"

namespace npuscope::h5 {

/// Regular files at or below a folder, links resolved, and one file that is open already.
struct Confinement {
    std::filesystem::path folder;  ///< without links
    std::filesystem::path name;    ///< of the open file, absolute
    int descriptor = -1;           ///< of the open file
    std::string refusal;           ///< why the last file was not opened, "" when none was refused
};

/// A driver that reads and opens only what `confinement` allows. The library passes it on to the
/// files that external links and virtual datasets name, which so meet the same rules; external raw
/// storage it opens without any driver, see require_contained(). The confinement is borrowed, the
/// returned driver lives as long as the files.
Handle set_input_driver(hid_t access_list, Confinement& confinement);

}  // namespace npuscope::h5
