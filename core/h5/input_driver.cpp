#include "core/h5/input_driver.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/base/printable.h"
#include "core/h5/driver_file.h"

namespace npuscope::h5 {

namespace {

struct InputDriverFile : DriverFile {
    Confinement* confinement = nullptr;
};

InputDriverFile* input_of(H5FD_t* file) {
    return driver_file<InputDriverFile>(file);
}

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

/// What an open descriptor leads to. Empty when the system does not say.
std::filesystem::path place_of(int descriptor) {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), failure);
}

/// -1 and a reason in `limits.refusal` when the file is none to read.
int descriptor_of(const char* name, Confinement& limits) {
    if (limits.name == name) return ::dup(limits.descriptor);
    // A FIFO would wait for its other end.
    const int descriptor = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return -1;
    struct stat facts {};
    const std::filesystem::path place = place_of(descriptor);
    if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
        limits.refusal = "it leads to " + in_quotes(name) + ", which is no regular file";
    else if (place.empty() || !lies_below(place, limits.folder))
        limits.refusal = "it leads to " + in_quotes(name) + ", which does not lie in the folder " +
                         "of the file; only trusted files may lead there";
    else
        return descriptor;
    ::close(descriptor);
    return -1;
}

H5FD_t* open_input(const char* name, unsigned flags, hid_t access_list, haddr_t) noexcept {
    try {
        const auto* info = static_cast<Confinement* const*>(H5Pget_driver_info(access_list));
        if (info == nullptr || (flags & (H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC)) != 0)
            return nullptr;
        const int descriptor = descriptor_of(name, **info);
        struct stat facts {};
        if (descriptor < 0) return nullptr;
        if (::fstat(descriptor, &facts) != 0) {
            ::close(descriptor);
            return nullptr;
        }
        auto file = std::make_unique<InputDriverFile>();
        file->take(descriptor, facts);
        file->confinement = *info;
        return &file.release()->base;
    } catch (...) {
        return nullptr;
    }
}

herr_t close_input(H5FD_t* base) {
    const std::unique_ptr<InputDriverFile> file(input_of(base));
    ::close(file->descriptor);
    return 0;
}

herr_t query_input(const H5FD_t*, unsigned long* flags) {
    if (flags != nullptr) *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
}

/// The library asks for it when it opens further files for this one, and frees it.
void* info_of_input(H5FD_t* base) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): what is handed over is the pointer itself
    auto* info = static_cast<Confinement**>(std::malloc(sizeof(Confinement*)));
    if (info != nullptr) *info = input_of(base)->confinement;
    return info;
}

herr_t read_input(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
    const InputDriverFile& file = *input_of(base);
    auto* target = static_cast<std::byte*>(buffer);
    // Behind the end of the file there are zeros.
    if (address > file.end_of_file || size > kLastAddress) return -1;
    size_t done = 0;
    while (done < size) {
        const ssize_t count = ::pread(
            file.descriptor, target + done, size - done, static_cast<off_t>(address + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        if (count == 0) break;
        done += static_cast<size_t>(count);
    }
    std::fill(target + done, target + size, std::byte{0});
    return 0;
}

herr_t write_input(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*) {
    return -1;
}

/// The library's sign that somebody writes is an exclusive lock. Some file systems know no locks.
herr_t lock_input(H5FD_t* base, hbool_t) {
    return ::flock(input_of(base)->descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK ? 0
                                                                                               : -1;
}

H5FD_class_t input_class() {
    H5FD_class_t driver = common_driver("npuscope input");
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the property holds the pointer itself
    driver.fapl_size = sizeof(Confinement*);
    driver.fapl_get = info_of_input;
    driver.open = open_input;
    driver.close = close_input;
    driver.query = query_input;
    driver.read = read_input;
    driver.write = write_input;
    driver.lock = lock_input;
    return driver;
}

}  // namespace

Handle set_input_driver(hid_t access_list, Confinement& confinement) {
    const H5FD_class_t description = input_class();
    Handle driver = checked(H5FDregister(&description), H5FDunregister, "cannot set up HDF5");
    Confinement* const info = &confinement;
    check(H5Pset_driver(access_list, driver.get(), &info), "cannot set up HDF5");
    return driver;
}

}  // namespace npuscope::h5
