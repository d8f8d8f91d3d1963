// Folders are made, or it is said why not.
#pragma once

#include <filesystem>

namespace npuscope {

/// Makes the folder and those above it, where they are missing. Errors: Error(kIo) names the
/// folder.
void make_folder(const std::filesystem::path& folder);

/// Makes the folder in one that is there; false where it is there already, made by another process
/// perhaps. Errors: Error(kIo) names the folder.
[[nodiscard]] bool make_new_folder(const std::filesystem::path& folder);

}  // namespace npuscope
