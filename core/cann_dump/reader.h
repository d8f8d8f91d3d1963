// Reads CANN binary dumps: the header at once, payloads when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/memory_block.h"
#include "core/cann_dump/dump_error.h"
#include "core/cann_dump/dump_file.h"

namespace npuscope::cann_dump {

/// An open dump. Memory: the header (at most 64 MB) and the file's first 64 KB. Every size in the
/// header is checked against the file before it is used. Threads: const calls may run at once.
class DumpReader {
  public:
    /// Errors: Error(kIo) when it cannot be opened or read, DumpError when it is no valid dump.
    explicit DumpReader(const std::filesystem::path& path);
    ~DumpReader();
    DumpReader(const DumpReader&) = delete;
    DumpReader& operator=(const DumpReader&) = delete;

    [[nodiscard]] const DumpFile& file() const { return file_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Fills `target` with the file's bytes from `position` on. Errors: Error(kIo) also when the
    /// file ends before (somebody cut it meanwhile).
    void read(uint64_t position, std::span<std::byte> target) const;
    /// All bytes of one tensor.
    [[nodiscard]] Buffer<std::byte> read(const DumpTensor& tensor) const;

  private:
    void parse(uint64_t file_size);
    void place(uint64_t position, uint64_t file_size);

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::vector<std::byte> head_;  ///< the file's first bytes
    DumpFile file_;
};

/// The header alone. Errors as DumpReader.
[[nodiscard]] DumpFile read_dump(const std::filesystem::path& path);

}  // namespace npuscope::cann_dump
