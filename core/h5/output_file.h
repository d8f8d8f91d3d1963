// The bytes of a file that is being written, below the append-only writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/pending_file.h"

namespace npuscope::h5 {

/// Where the append-only writer's bytes go. A test puts its own in place of the disk, to see the
/// order of the writes. Errors: Error(kIo) names the file.
class OutputFile {
  public:
    OutputFile() = default;
    virtual ~OutputFile() = default;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// All bytes reach the system, in one call unless it takes them only in pieces.
    virtual void write(uint64_t offset, std::span<const std::byte> bytes) = 0;
    /// Bytes that were written.
    virtual void read(uint64_t offset, std::span<std::byte> bytes) = 0;
    /// All bytes written so far are on the disk afterwards.
    virtual void sync() = 0;
    /// The file gets its name, if it has none yet: what is under the name was written before.
    virtual void publish() = 0;
    /// Gives back what lies behind the end, where that is easy: after an error nothing reads it.
    virtual void cut(uint64_t end) noexcept = 0;
    virtual void close() = 0;
};

/// A new file of the system, which replaces one of that name at once.
[[nodiscard]] std::unique_ptr<OutputFile> create_output_file(const std::filesystem::path& path);

/// Writes to the part file, which is borrowed; publish() and close() leave to it whether the name
/// is free, and when the file is complete.
[[nodiscard]] std::unique_ptr<OutputFile> output_to(PendingFile& pending);

/// Keeps nothing: to learn how large a file would be.
[[nodiscard]] std::unique_ptr<OutputFile> no_output_file();

}  // namespace npuscope::h5
