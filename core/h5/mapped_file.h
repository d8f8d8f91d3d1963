// A file's bytes mapped read-only into memory, and what happens when the file is cut short
// meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace npuscope::h5 {

/// The whole file as it was when it was mapped. Bytes that vanish later (somebody truncates the
/// file) read as zeros instead of ending the process, and is_intact() turns false: the first
/// mapping of a process installs a SIGBUS handler that serves its own mappings and hands every
/// other address to the handler before it. Threads: const calls may run at once.
class MappedFile {
  public:
    /// Maps the file behind an open descriptor, which may be closed afterwards. Null when it cannot
    /// be mapped (empty, no regular file, no address space, too many mappings at once): not an
    /// error, the caller reads the file in another way.
    [[nodiscard]] static std::shared_ptr<const MappedFile> map(int descriptor);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
    /// False once bytes of the mapping were missing when they were read.
    [[nodiscard]] bool is_intact() const;
    /// Copies bytes without touching the mapping: for what is read once, front to back, the
    /// system's work for each page that is mapped and given back costs more than the copy. Bytes
    /// that are missing are zeros, and is_intact() turns false.
    void copy(const std::byte* from, uint64_t count, std::byte* target) const;
    /// Lets the system take back the pages of these bytes; they are read from the file when touched
    /// again. Pages that the range begins in go, the page that it ends in stays unless it is the
    /// file's last.
    void release(uint64_t offset, uint64_t count) const;

  private:
    MappedFile(const std::byte* data, size_t size, size_t slot, int descriptor)
        : data_(data), size_(size), slot_(slot), descriptor_(descriptor) {}

    const std::byte* data_;
    size_t size_;
    size_t slot_;     ///< in the table that the signal handler reads
    int descriptor_;  ///< of its own; negative when none was left
};

}  // namespace npuscope::h5
