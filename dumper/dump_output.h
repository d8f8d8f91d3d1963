// One dump file of a scope, under a name that nobody else writes. Included by dumper/*.cpp only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/dumpfile/writer.h"
#include "dumper/output_path.h"

namespace npuscope::dumper {

/// Takes `wanted`, or name_2.h5 (name_3.h5, …) when this process has written it already or another
/// one is writing it, and says so on stderr, as it does when it keeps what a killed process left.
/// A name that comes in because of another process never replaces a file. A relative path is one
/// of the folder that is current now, wherever the program goes afterwards.
/// Errors: Error(kIo) as dumpfile::Writer.
class DumpOutput {
  public:
    /// The file `golden` is being read (empty: none) and is no free name.
    DumpOutput(const std::filesystem::path& wanted,
               const dumpfile::WriterOptions& options,
               const std::filesystem::path& golden = {});

    [[nodiscard]] dumpfile::Writer& writer() { return *writer_; }
    /// The file's path, as it was wanted while that still leads there; nothing when no op came.
    std::filesystem::path close(bool complete, const std::string& note, bool is_estimate);
    /// After an error, of this file or not: what can be kept stays, and says that it is incomplete.
    void abandon(const std::string& note) noexcept;
    [[nodiscard]] uint64_t bytes() const { return bytes_; }  ///< since close()

  private:
    std::optional<PathClaim> claim_;
    uint64_t bytes_ = 0;
    std::optional<dumpfile::Writer> writer_;  // gone before the claim ends
};

}  // namespace npuscope::dumper
