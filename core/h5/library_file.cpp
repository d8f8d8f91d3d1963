#include <unistd.h>

#include "core/h5/input_file.h"

namespace npuscope::h5 {

namespace {

/// A name of what the descriptor has open, whatever has the path by now; the path where there is no
/// /proc.
std::string name_of(int descriptor, const std::filesystem::path& path) {
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    return descriptor >= 0 && ::access(link.c_str(), R_OK) == 0 ? link : path.string();
}

}  // namespace

Handle open_with_library(int descriptor, const std::filesystem::path& path) {
    const std::string opened = name_of(descriptor, path);
    const std::string name = in_quotes(path);
    if (H5Fis_hdf5(opened.c_str()) <= 0) {
        H5Eclear2(H5E_DEFAULT);
        throw Error(ErrorKind::kFormat, name + " is not an HDF5 file");
    }
    const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "cannot set up HDF5");
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "cannot set up HDF5");
    const hid_t id = H5Fopen(opened.c_str(), H5F_ACC_RDONLY, access.get());
    if (id >= 0) return Handle(id, H5Fclose);
    const std::string reason = library_error();
    if (reason.find("truncated") != std::string::npos)
        throw Error(ErrorKind::kFormat,
                    name + " is cut short: it was not written to its end (HDF5: " + reason +
                        "); make the dump again");
    throw Error(ErrorKind::kFormat,
                "cannot open " + name + " (HDF5: " + reason +
                    "); it may be damaged or still being written");
}

}  // namespace npuscope::h5
