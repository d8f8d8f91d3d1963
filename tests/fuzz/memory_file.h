// A file in memory only, for readers that take a path.
#pragma once

#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace npuscope::test {

class MemoryFile {
  public:
    MemoryFile() : descriptor_(memfd_create("file", 0)) {
        if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// Replaces the content; nobody reads it meanwhile.
    void set(const void* bytes, size_t size) const {
        if (ftruncate(descriptor_, 0) != 0 ||
            pwrite(descriptor_, bytes, size, 0) != static_cast<ssize_t>(size))
            throw std::runtime_error("writing to memory failed");
    }
    [[nodiscard]] std::string path() const {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

  private:
    int descriptor_;
};

}  // namespace npuscope::test
