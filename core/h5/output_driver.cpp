#include "core/h5/output_driver.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "core/base/read_at.h"
#include "core/h5/driver_file.h"

namespace npuscope::h5 {

namespace {

/// A piece of metadata that the disk did not take.
struct Unwritten {
    haddr_t address;
    std::vector<std::byte> bytes;
};

struct OutputDriverFile : DriverFile {
    OutputStatus* status = nullptr;
    std::vector<Unwritten> unwritten;

    void fail(int code) const {
        if (status->error == 0) status->error = code == 0 ? EIO : code;
    }
};

OutputDriverFile* of(H5FD_t* file) {
    return driver_file<OutputDriverFile>(file);
}

H5FD_t* open_output(const char* name, unsigned flags, hid_t access_list, haddr_t) {
    const auto* info = static_cast<OutputStatus* const*>(H5Pget_driver_info(access_list));
    if (info == nullptr) return nullptr;
    OutputStatus* status = *info;
    int mode = O_CLOEXEC | ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY);
    if ((flags & H5F_ACC_TRUNC) != 0) mode |= O_TRUNC;
    if ((flags & H5F_ACC_CREAT) != 0) mode |= O_CREAT;
    if ((flags & H5F_ACC_EXCL) != 0) mode |= O_EXCL;
    const int descriptor = ::open(name, mode, 0666);
    struct stat found {};
    // The library first tries whether the file is there; only the last attempt counts.
    status->error = descriptor < 0 || ::fstat(descriptor, &found) != 0 ? errno : 0;
    if (descriptor < 0) return nullptr;
    auto file = std::make_unique<OutputDriverFile>();
    file->take(descriptor, found);
    file->status = status;
    return &file.release()->base;
}

herr_t close_output(H5FD_t* base) {
    const std::unique_ptr<OutputDriverFile> file(of(base));
    if (::close(file->descriptor) != 0) file->fail(errno);
    return 0;
}

herr_t query_output(const H5FD_t*, unsigned long* flags) {
    if (flags != nullptr)
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
                 H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

herr_t handle_of(H5FD_t* file, hid_t, void** handle) {
    *handle = &of(file)->descriptor;
    return 0;
}

/// Lays what could not be written over what was read.
void overlay(const OutputDriverFile& file, haddr_t address, size_t size, std::byte* target) {
    for (const Unwritten& piece : file.unwritten) {
        const haddr_t from = std::max(address, piece.address);
        const haddr_t to = std::min<haddr_t>(address + size, piece.address + piece.bytes.size());
        if (from < to)
            std::memcpy(
                target + (from - address), piece.bytes.data() + (from - piece.address), to - from);
    }
}

herr_t read_output(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
    const OutputDriverFile& file = *of(base);
    auto* target = static_cast<std::byte*>(buffer);
    const BytesRead read = read_at(file.descriptor, address, {target, size});
    if (read.code != 0) file.fail(read.code);
    // Behind the end of the file there are zeros.
    std::memset(target + read.count, 0, size - read.count);
    overlay(file, address, size, target);
    return 0;
}

herr_t write_output(
    H5FD_t* base, H5FD_mem_t type, hid_t, haddr_t address, size_t size, const void* buffer) {
    OutputDriverFile& file = *of(base);
    const auto* source = static_cast<const std::byte*>(buffer);
    file.end_of_file = std::max(file.end_of_file, address + size);
    size_t done = 0;
    while (done < size && file.status->error == 0) {
        const ssize_t count = ::pwrite(
            file.descriptor, source + done, size - done, static_cast<off_t>(address + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            file.fail(count < 0 ? errno : ENOSPC);
            break;
        }
        done += static_cast<size_t>(count);
    }
    if (done < size && type != H5FD_MEM_DRAW)
        file.unwritten.push_back({address + done, {source + done, source + size}});
    return 0;
}

herr_t truncate_output(H5FD_t* base, hid_t, hbool_t) {
    OutputDriverFile& file = *of(base);
    if (file.end_of_allocation == file.end_of_file) return 0;
    if (file.status->error == 0 &&
        ::ftruncate(file.descriptor, static_cast<off_t>(file.end_of_allocation)) != 0)
        file.fail(errno);
    file.end_of_file = file.end_of_allocation;
    return 0;
}

H5FD_class_t output_class() {
    H5FD_class_t driver = common_driver("npuscope output");
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the property holds the pointer itself
    driver.fapl_size = sizeof(OutputStatus*);
    driver.open = open_output;
    driver.close = close_output;
    driver.query = query_output;
    driver.get_handle = handle_of;
    driver.read = read_output;
    driver.write = write_output;
    driver.truncate = truncate_output;
    return driver;
}

}  // namespace

Handle set_output_driver(hid_t access_list, OutputStatus& status) {
    const H5FD_class_t description = output_class();
    Handle driver = checked(H5FDregister(&description), H5FDunregister, "cannot set up HDF5");
    OutputStatus* const info = &status;
    check(H5Pset_driver(access_list, driver.get(), &info), "cannot set up HDF5");
    return driver;
}

}  // namespace npuscope::h5
