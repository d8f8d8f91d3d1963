// Stands in for the HDF5 library, which has faults of its own: it opens no file. What is left is
// the reading of the mapping.
#include "core/h5/input_file.h"

namespace npuscope::h5 {

Handle open_with_library(int /*descriptor*/, const std::filesystem::path& path) {
    throw Error(ErrorKind::kUnsupported,
                "'" + printable(path.string()) + "' needs the HDF5 library");
}

}  // namespace npuscope::h5
