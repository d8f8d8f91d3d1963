// An existing file that is read. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/h5/library_access.h"
#include "core/h5/mapped_file.h"
#include "core/h5/object_name.h"
#include "core/h5/superblock.h"

namespace npuscope::h5 {

/// Most dumps are read from the mapping alone. The library, which damaged bytes can bring down, is
/// asked for what is left.
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
    /// What the library reads of the file.
    [[nodiscard]] LibraryAccess& library() const { return *library_; }

  private:
    /// Maps the file and tells whether its bytes look as if the walker could read them.
    [[nodiscard]] bool map_sound();

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::shared_ptr<const MappedFile> mapping_;
    std::optional<Superblock> superblock_;
    std::unique_ptr<LibraryAccess> library_;
};

}  // namespace npuscope::h5
