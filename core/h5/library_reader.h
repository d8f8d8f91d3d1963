// Reads a file with the HDF5 library alone, in this process: what has no limits and no way back
// when damaged bytes bring the library down. The service that runs apart and tests use it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/h5/h5.h"

namespace npuscope::h5 {

struct OpenFile;

/// Calls take the library's lock. Errors: Error(kFormat) where an object is not there or is none
/// of the kind that is asked for.
class LibraryReader {
  public:
    /// A trusted file. Errors: Error(kIo) missing or unreadable, Error(kFormat) not HDF5.
    explicit LibraryReader(const std::filesystem::path& path);
    explicit LibraryReader(OpenFile file);
    ~LibraryReader();
    LibraryReader(LibraryReader&&) noexcept;
    LibraryReader& operator=(LibraryReader&&) noexcept;
    LibraryReader(const LibraryReader&) = delete;
    LibraryReader& operator=(const LibraryReader&) = delete;

    [[nodiscard]] const OpenFile& file() const { return *file_; }

    [[nodiscard]] bool exists(const std::string& path) const;
    [[nodiscard]] ObjectKind kind(const std::string& path) const;
    /// Names of a group's links in h5py's iteration order (by name, or by creation where the group
    /// tracks it), dangling links left out.
    [[nodiscard]] std::vector<std::string> children(const std::string& group) const;
    /// The same with each child's kind.
    [[nodiscard]] std::vector<std::pair<std::string, ObjectKind>> typed_children(
        const std::string& group) const;

    [[nodiscard]] DatasetInfo dataset(const std::string& path) const;
    [[nodiscard]] Tensor read(const std::string& path) const;
    [[nodiscard]] std::string read_string(const std::string& path) const;

    [[nodiscard]] int attribute_count(const std::string& path) const;
    [[nodiscard]] std::vector<std::string> attribute_names(const std::string& path) const;
    /// Empty when absent or not an integer scalar (or one-element array).
    [[nodiscard]] std::optional<int64_t> int_attribute(const std::string& path,
                                                       const std::string& name) const;
    /// Empty when absent or not integer.
    [[nodiscard]] std::optional<std::vector<int64_t>> int_list_attribute(
        const std::string& path, const std::string& name) const;
    [[nodiscard]] std::optional<std::string> string_attribute(const std::string& path,
                                                              const std::string& name) const;

    /// Copies an object with all below it, attributes too (h5copy -p).
    void copy_to(Writer& target, const std::string& from, const std::string& to) const;

  private:
    std::unique_ptr<OpenFile> file_;
};

}  // namespace npuscope::h5
