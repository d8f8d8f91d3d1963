// Where a dump goes, and the checks of a scope's paths. Included by dumper/*.cpp only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace npuscope::dumper {

/// A file *.h5 in an existing folder; an existing folder, or nothing (this folder), gives
/// <local time>.h5 there. Errors: Error(kUsage) names what is wrong with the path.
[[nodiscard]] std::filesystem::path resolved_dump_path(const std::filesystem::path& wanted);

/// Errors: Error(kUsage) when it is not a *.h5 name, Error(kIo) when it is no readable file.
void check_load_path(const std::filesystem::path& path);

/// Whether both names lead to one file, existing or not.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Keeps two scopes of one process from writing the same file. A file that keep() was called for
/// stays claimed when the scope ends, for the process and as long as the file exists.
class PathClaim {
  public:
    /// Takes `wanted` (number 1), name_2.h5 (number 2), …: the first from `number` on that is free.
    PathClaim(const std::filesystem::path& wanted, int number);
    ~PathClaim();
    PathClaim(const PathClaim&) = delete;
    PathClaim& operator=(const PathClaim&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] int number() const { return number_; }
    void keep() { kept_ = true; }

  private:
    std::filesystem::path path_;
    std::string key_;
    int number_;
    bool kept_ = false;
};

}  // namespace npuscope::dumper
