// A folder of custom algorithms: DIR/algorithm/alg_<Name>.py.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace npuscope::custom_algorithms {

/// What the tree below DIR/algorithm may hold at most.
inline constexpr size_t kMostFiles = 1000;
inline constexpr size_t kDeepestFolder = 50;  ///< components of a folder's path
inline constexpr uintmax_t kLargestFile = uintmax_t{1024} * 1024;

/// Errors: Error(kUsage) where `folder` is no folder, or a file in the tree breaks a rule (its
/// path's characters and length, its kind, its size, their number and depth).
void check_scripts(const std::filesystem::path& folder);

/// The names of the algorithms, in alphabetical order; a name is letters, digits and "_".
/// Errors: Error(kUsage) where a folder is missing or holds no algorithm, where a script's name is
/// no name, and where a file in the tree breaks a rule (its path's characters and length, its
/// kind, its size, their number and depth).
[[nodiscard]] std::vector<std::string> algorithm_names(const std::filesystem::path& folder);

}  // namespace npuscope::custom_algorithms
