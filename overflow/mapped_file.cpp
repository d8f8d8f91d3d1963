#include "overflow/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace npuscope::overflow {

MappedFile::MappedFile(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status = {};
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        const auto size = static_cast<uint64_t>(status.st_size);
        void* base = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (base != MAP_FAILED) {
            base_ = base;
            size_ = size;
        }
    }
    ::close(descriptor);
}

MappedFile::~MappedFile() {
    if (base_ != nullptr) ::munmap(base_, size_);
}

std::span<const std::byte> MappedFile::bytes(uint64_t offset, uint64_t nbytes) const {
    if (base_ == nullptr || offset > size_ || nbytes > size_ - offset) return {};
    return {static_cast<const std::byte*>(base_) + offset, nbytes};
}

}  // namespace npuscope::overflow
