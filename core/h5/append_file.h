// The end of a growing HDF5 file, and the superblock that says which part of it counts. Included by
// core/h5/*.cpp and their tests.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/h5/output_file.h"

namespace npuscope::h5 {

/// Takes bytes once and never changes them. What a reader sees is what lay below the root of the
/// last switch_to(), which writes the superblock (48 bytes) and nothing else.
///
/// Source  HDF5 File Format Specification 3.0, II.A "Disk Format: Level 0A", version 2.
class AppendFile {
  public:
    static constexpr uint64_t kSuperblockBytes = 48;

    /// With `sync`, every switch is on the disk when it returns, and never before what it shows.
    AppendFile(std::unique_ptr<OutputFile> file, bool sync);
    ~AppendFile();  ///< without close(): the file ends where its last switch says
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    /// Where the next byte goes, before any alignment.
    [[nodiscard]] uint64_t end() const { return flushed_ + buffer_.size(); }
    /// The address of the bytes, a multiple of `alignment` (a power of two).
    uint64_t append(std::span<const std::byte> bytes, uint64_t alignment);
    /// Zeros that write_reserved() may replace as long as no superblock shows them as used.
    uint64_t reserve(uint64_t count, uint64_t alignment);
    void write_reserved(uint64_t address, std::span<const std::byte> bytes);
    /// Bytes that were appended.
    void read(uint64_t address, std::span<std::byte> bytes);
    /// After a write that failed: gives back what it left behind the end.
    void drop_partial_write() noexcept;
    /// Makes the file end here with this root group.
    void switch_to(uint64_t root);
    void close();

  private:
    void align(uint64_t alignment);
    void flush();

    std::unique_ptr<OutputFile> file_;
    const bool sync_;
    std::vector<std::byte> buffer_;
    uint64_t flushed_ = 0;    ///< everything before it has been written
    uint64_t shown_end_ = 0;  ///< of the last switch, even one that failed half-way
    bool published_ = false;
    bool closed_ = false;
};

}  // namespace npuscope::h5
