// One file that `convert` reads: a binary dump, or a .npy taken as a dump of one output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "core/cann_dump/reader.h"
#include "core/tensor/tensor.h"

namespace npuscope::msaccucmp {

class InputFile {
  public:
    /// Errors: CommandError with the exit code of the reference tool.
    explicit InputFile(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Sizes and positions are set; those of a .npy count from its first element.
    [[nodiscard]] const cann_dump::DumpFile& dump() const { return dump_; }
    /// Errors: CommandError(kInvalidDumpData).
    void read(uint64_t position, std::span<std::byte> target) const;

  private:
    void open_dump();
    void open_npy();

    std::filesystem::path path_;
    cann_dump::DumpFile dump_;
    std::unique_ptr<cann_dump::DumpReader> reader_;
    std::optional<Tensor> array_;
};

}  // namespace npuscope::msaccucmp
