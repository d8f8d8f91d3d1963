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

/// "a.h5" -> "a_inputs.h5"
[[nodiscard]] std::filesystem::path with_suffix(const std::filesystem::path& path,
                                                const std::string& suffix);

/// Keeps two scopes of one process from writing the same file. A file that keep() was called for
/// stays claimed when the scope ends, for the process and as long as the file exists.
class PathClaim {
  public:
    /// Takes `wanted`, or the first free of name_2.h5, name_3.h5, …
    explicit PathClaim(const std::filesystem::path& wanted);
    ~PathClaim();
    PathClaim(const PathClaim&) = delete;
    PathClaim& operator=(const PathClaim&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    void keep() { kept_ = true; }

  private:
    std::filesystem::path path_;
    std::string key_;
    bool kept_ = false;
};

}  // namespace npuscope::dumper
