// What our drivers below the HDF5 library have in common. Included by core/h5/*.cpp only.
#pragma once

#include <algorithm>
#include <iterator>
#include <sys/stat.h>

#include <hdf5.h>

namespace npuscope::h5 {

/// No file of ours is larger.
inline constexpr haddr_t kLastAddress = (haddr_t{1} << 62) - 1;

/// An open file as the library sees it. Drivers add their own behind it.
struct DriverFile {
    H5FD_t base;  // first: the library sees only this
    int descriptor;
    haddr_t end_of_allocation;
    haddr_t end_of_file;
    dev_t device;
    ino_t inode;

    /// Takes over the descriptor, whose facts they are.
    void take(int opened, const struct stat& facts) {
        descriptor = opened;
        end_of_file = static_cast<haddr_t>(facts.st_size);
        device = facts.st_dev;
        inode = facts.st_ino;
    }
};

/// `File` is a DriverFile with more.
template <class File>
File* driver_file(H5FD_t* file) {
    return static_cast<File*>(reinterpret_cast<DriverFile*>(file));
}
template <class File>
const File* driver_file(const H5FD_t* file) {
    return static_cast<const File*>(reinterpret_cast<const DriverFile*>(file));
}

/// A driver's table with what all drivers do alike: which files are one, and their ends.
inline H5FD_class_t common_driver(const char* name) {
    H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION  // from 1.14 on
    driver.version = H5FD_CLASS_VERSION;
#endif
    driver.name = name;
    driver.maxaddr = kLastAddress;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.cmp = [](const H5FD_t* a, const H5FD_t* b) {
        const auto* x = driver_file<DriverFile>(a);
        const auto* y = driver_file<DriverFile>(b);
        if (x->device != y->device) return x->device < y->device ? -1 : 1;
        if (x->inode != y->inode) return x->inode < y->inode ? -1 : 1;
        return 0;
    };
    driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) {
        return driver_file<DriverFile>(file)->end_of_allocation;
    };
    driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t address) -> herr_t {
        driver_file<DriverFile>(file)->end_of_allocation = address;
        return 0;
    };
    driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) {
        return driver_file<DriverFile>(file)->end_of_file;
    };
    constexpr H5FD_mem_t kTwoLists[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kTwoLists), std::end(kTwoLists), driver.fl_map);
    return driver;
}

}  // namespace npuscope::h5
