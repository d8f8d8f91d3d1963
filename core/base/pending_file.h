// A file that gets its final name only when it is complete.
#pragma once

#include <filesystem>
#include <string>

namespace npuscope {

/// Owns `<final>.part<extension>` beside the final path until commit() renames it.
///
/// Errors  the constructor throws Error(kIo) when the final path is a directory or its folder is
///         missing or not writable; commit() throws when the rename fails.
/// The destructor removes an uncommitted part file. A killed process leaves the part file only.
class PendingFile {
  public:
    explicit PendingFile(std::filesystem::path final_path);
    ~PendingFile();
    PendingFile(PendingFile&& other) noexcept;
    PendingFile& operator=(PendingFile&& other) noexcept;
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    [[nodiscard]] const std::filesystem::path& part_path() const { return part_path_; }
    [[nodiscard]] const std::filesystem::path& final_path() const { return final_path_; }

    /// Replaces whatever has the final name, atomically. `durable`: the name is on the disk when it
    /// returns; the content is the caller's to sync.
    void commit(bool durable = false);
    /// Removes the part file now; the final name stays as it was.
    void discard() noexcept;

  private:
    std::filesystem::path final_path_;
    std::filesystem::path part_path_;
    bool pending_ = false;
};

/// Writes `content` to `path` through a PendingFile, mode 0644 less the umask.
void write_text_file(const std::filesystem::path& path, const std::string& content);

/// The whole content of a regular file. Errors: Error(kIo) names the path and the reason.
std::string read_text_file(const std::filesystem::path& path);

/// Throws Error(kIo) with one clear line unless `path` is a readable regular file; `what` names its
/// role
/// ("model", "golden dump").
void require_regular_file(const std::filesystem::path& path, const std::string& what);

}  // namespace npuscope
