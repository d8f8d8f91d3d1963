// Files get names without taking another file's.
#pragma once

#include <filesystem>
#include <string>
#include <sys/stat.h>

namespace npuscope {

/// Renames a file within its folder unless the new name is taken: then it returns false and changes
/// nothing. A network file system may rename the file, lose the answer, and find nothing to rename
/// when it asks again: that counts as done. Errors: Error(kIo) names both.
[[nodiscard]] bool rename_to_free_name(const std::filesystem::path& from,
                                       const std::filesystem::path& to);

/// "a.h5" -> "a_inputs.h5"
[[nodiscard]] std::filesystem::path with_suffix(const std::filesystem::path& path,
                                                const std::string& suffix);

/// Whether the name is that of the file with these facts; a link under the name is not followed.
[[nodiscard]] bool is_named(const std::filesystem::path& path, const struct stat& facts);
/// Whether the open file is the one of that name; a link under the name is not followed.
[[nodiscard]] bool has_name(int descriptor, const std::filesystem::path& path);

/// Gives an open file that has lost its name the first free one of `a_2.h5`, `a_3.h5`, …: a further
/// name where it has one left, else its bytes in a new file. Errors: Error(kIo).
[[nodiscard]] std::filesystem::path keep_beside(int descriptor, const std::filesystem::path& path);

/// All bytes of one open file into another. Errors: Error(kIo) names `target`.
void copy_bytes(int from, int to, const std::filesystem::path& target);

}  // namespace npuscope
