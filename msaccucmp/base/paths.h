// The reference tool's path rules: which paths it takes, and how it makes the output folder.
#pragma once

#include <filesystem>
#include <string>

#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

enum class PathType { kAny, kFile, kDirectory };

/// kOk, or the exit code with the reason logged. With `exist` false the parent must exist instead.
[[nodiscard]] int check_path(
    const std::string& path, bool exist, bool writable, PathType type, Log& log);

/// Errors: CommandError with check_path's code; the reason is logged already.
void require_path(const std::string& path, PathType type, Log& log);

/// Without links, "." and "..", as far as it exists.
[[nodiscard]] std::filesystem::path canonical(const std::string& path);

/// Makes the folder (mode 0700, parents too) when it is missing, then check_path of a writable one.
[[nodiscard]] int check_output_folder(const std::string& path, Log& log);
/// Errors: CommandError with that code.
void require_output_folder(const std::string& path, Log& log);

}  // namespace npuscope::msaccucmp
