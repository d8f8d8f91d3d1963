// An existing file that is read. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/printable.h"
#include "core/h5/handle.h"
#include "core/h5/mapped_file.h"
#include "core/h5/superblock.h"

namespace npuscope::h5 {

/// "'/op/1' in 'file.h5'" for messages.
inline std::string object_name(const std::string& object, const std::filesystem::path& path) {
    return in_quotes(object) + " in " + in_quotes(path);
}

/// A file as the HDF5 library has it open.
struct OpenFile {
    std::filesystem::path path;
    Handle file;

    [[nodiscard]] std::string name(const std::string& object) const {
        return object_name(object, path);
    }
};

/// The library opens a file on the first need for it. Its opening reads what the file's bytes
/// claim, and damaged bytes can bring it down; most dumps are read from the mapping alone.
class InputFile {
  public:
    /// Errors: Error(kIo) missing or unreadable, Error(kFormat) not HDF5, or truncated.
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string name(const std::string& object) const {
        return object_name(object, path_);
    }
    /// Null when there can be none.
    [[nodiscard]] const std::shared_ptr<const MappedFile>& mapped() const { return mapping_; }
    /// The mapping's superblock as it was when the file was opened: a dump may grow meanwhile, and
    /// what the superblock named then stays as it is. Throws Damaged or Unsupported.
    [[nodiscard]] Superblock superblock() const;
    /// The caller holds the library's lock. Errors: Error(kFormat) when the library refuses the
    /// file.
    [[nodiscard]] const OpenFile& library() const;

  private:
    /// Maps the file and tells whether its bytes look as if the walker could read them.
    [[nodiscard]] bool map_sound();

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::shared_ptr<const MappedFile> mapping_;
    std::optional<Superblock> superblock_;
    mutable std::optional<OpenFile> library_;
};

/// Opens the file behind a descriptor, or at the path when that is -1, under the library's lock.
Handle open_with_library(int descriptor, const std::filesystem::path& path);

}  // namespace npuscope::h5
