// The bytes of a file, read through the page cache without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace npuscope::overflow {

/// Maps the whole file read-only. Where that is not possible (a pipe, some network file systems)
/// the mapping is empty and the caller reads another way. Threads: const.
class MappedFile {
  public:
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    /// Empty unless all of [offset, offset + nbytes) lies in the file. Borrowed from the mapping.
    [[nodiscard]] std::span<const std::byte> bytes(uint64_t offset, uint64_t nbytes) const;

  private:
    void* base_ = nullptr;
    uint64_t size_ = 0;
};

}  // namespace npuscope::overflow
