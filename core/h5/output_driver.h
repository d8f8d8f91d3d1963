// The file below a written HDF5 file: system errors are remembered instead of handed to the
// library. Included by core/h5/*.cpp only.
#pragma once

#include <hdf5.h>

#include "core/h5/handle.h"

namespace npuscope::h5 {

/// The first error of the system since the file was opened (errno), 0 while there is none.
struct OutputStatus {
    int error = 0;
};

/// The library cannot close a file whose writes fail (a full disk): it keeps a broken identifier
/// and crashes when the process ends. This driver lets every write seem to work, so that the file
/// can be closed, and leaves it to the caller to look at the status after each step.
/// What could not be written of the library's own data is kept in memory until the file is closed.
///
/// `status` is borrowed until the file is closed; the returned driver must live as long.
Handle set_output_driver(hid_t access_list, OutputStatus& status);

}  // namespace npuscope::h5
