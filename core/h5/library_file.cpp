#include "core/h5/library_file.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace npuscope::h5 {

namespace {

/// A name of what the descriptor has open, whatever has the path by now; the path where there is no
/// /proc.
std::string name_of(int descriptor, const std::filesystem::path& path) {
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    return descriptor >= 0 && ::access(link.c_str(), R_OK) == 0 ? link : path.string();
}

/// As H5Fis_hdf5(), which knows no driver: the signature lies at 0, 512, 1024, 2048, …
bool has_signature(int descriptor) {
    constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
    std::array<char, kSignature.size()> found{};
    for (off_t at = 0;; at = std::max<off_t>(512, 2 * at)) {
        const ssize_t count = ::pread(descriptor, found.data(), found.size(), at);
        if (count < static_cast<ssize_t>(found.size())) return false;
        if (std::string_view(found.data(), found.size()) == kSignature) return true;
    }
}

Handle access_list() {
    Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "cannot set up HDF5");
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "cannot set up HDF5");
    return access;
}

[[noreturn]] void refuse(const std::filesystem::path& path) {
    const std::string reason = library_error();
    if (reason.find("truncated") != std::string::npos)
        throw Error(ErrorKind::kFormat,
                    in_quotes(path) + " is cut short: it was not written to its end (HDF5: " +
                        reason + "); make the dump again");
    throw Error(ErrorKind::kFormat,
                "cannot open " + in_quotes(path) + " (HDF5: " + reason +
                    "); it may be damaged or still being written");
}

[[noreturn]] void refuse_other(const std::filesystem::path& path) {
    H5Eclear2(H5E_DEFAULT);
    throw Error(ErrorKind::kFormat, in_quotes(path) + " is not an HDF5 file");
}

}  // namespace

OpenFile open_trusted(int descriptor, const std::filesystem::path& path) {
    const std::string opened = name_of(descriptor, path);
    if (H5Fis_hdf5(opened.c_str()) <= 0) refuse_other(path);
    const Handle access = access_list();
    OpenFile found{.path = path};
    found.file = Handle(H5Fopen(opened.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!found.file.valid()) refuse(path);
    return found;
}

OpenFile open_confined(int descriptor, const std::filesystem::path& path) {
    OpenFile found{.path = path, .confinement = std::make_unique<Confinement>()};
    if (descriptor < 0 || !has_signature(descriptor)) refuse_other(path);
    std::error_code failure;
    Confinement& limits = *found.confinement;
    limits.descriptor = descriptor;
    limits.name = std::filesystem::canonical(path, failure);
    if (failure) limits.name = std::filesystem::absolute(path, failure).lexically_normal();
    limits.folder = limits.name.parent_path();
    const Handle access = access_list();
    found.driver = set_input_driver(access.get(), limits);
    found.file = Handle(H5Fopen(limits.name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!found.file.valid()) refuse(path);
    return found;
}

}  // namespace npuscope::h5
