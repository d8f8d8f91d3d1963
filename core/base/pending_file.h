// A file that gets its final name only when it is complete.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>

#include "core/base/owned_descriptor.h"

namespace npuscope {

struct PendingOptions {
    mode_t mode = 0666;    ///< less the umask
    bool durable = false;  ///< names are on the disk when publish() and commit() return
    /// Moves what a killed process left under the part name out of the way; without it, it goes.
    std::function<void(const std::filesystem::path& part)> clear_leftover = {};
    // What a file system may lack; tests leave it out.
    bool nameless_files = true;
    bool locks = true;
};

/// A new file that is called `<final>.part<extension>`, beside the final path, until commit()
/// renames it. While it lives it holds a lock (core/base/file_lock.h), by which other processes see
/// that it is no leftover of a killed one.
///
/// Errors  the constructors throw Error(kIo) when the final path is a directory, its folder is
///         missing or not writable, or the file cannot be made.
/// The destructor removes an uncommitted part file, except in a forked child, to which it does not
/// belong. A killed process leaves the part file only. Without locks in the file system a part file
/// that is there is taken for another process's.
class PendingFile {
  public:
    /// For whoever writes to part_path(): an empty file is there, under a name that no other
    /// process writes; it may be replaced. Leftovers of killed processes go.
    explicit PendingFile(std::filesystem::path final_path, PendingOptions options = {});
    /// For whoever writes to descriptor(): the file has no name before publish().
    [[nodiscard]] static PendingFile unpublished(std::filesystem::path final_path,
                                                 PendingOptions options = {});
    ~PendingFile();
    PendingFile(PendingFile&& other) noexcept;
    PendingFile& operator=(PendingFile&& other) noexcept;
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    [[nodiscard]] const std::filesystem::path& part_path() const { return part_path_; }
    [[nodiscard]] const std::filesystem::path& final_path() const { return final_path_; }
    [[nodiscard]] int descriptor() const { return file_.get(); }

    /// Gives the file its part name, in one step with all that was written before. Returns "", or
    /// why the name is not free: "is being written by another process".
    [[nodiscard]] std::string publish();
    [[nodiscard]] bool is_published() const { return has_name_; }
    /// Replaces whatever has the final name, atomically. The content is the caller's to sync,
    /// except where it replaces a file, which a power cut must not lose together with the new one.
    /// Errors: Error(kIo) when the rename fails, and when another file has the part name now: then
    /// the data is kept under a free name, which the message tells.
    void commit();
    /// Removes the part file now; the final name stays as it was.
    void discard() noexcept;
    /// Leaves the part file where it is, as a killed process would. False: there is none.
    bool keep() noexcept;

  private:
    PendingFile(std::filesystem::path final_path, PendingOptions options, bool by_name);
    void open();
    bool take_name();
    void move_to_work_file();
    [[nodiscard]] std::string clear_name() const;
    void require_own_name();

    std::filesystem::path final_path_;
    std::filesystem::path part_path_;
    std::filesystem::path work_path_;  ///< the name before publish(), where it needs one
    PendingOptions options_;
    OwnedDescriptor file_;
    pid_t owner_ = 0;
    bool by_name_ = false;
    bool has_name_ = false;  ///< the part name is this file's
    bool pending_ = false;
};

/// Writes `content` to `path` through a PendingFile, mode 0644 less the umask; into a device or a
/// pipe as it comes. Errors: Error(kIo).
void write_text_file(const std::filesystem::path& path, const std::string& content);

/// The whole content of a regular file. Errors: Error(kIo) names the path and the reason.
std::string read_text_file(const std::filesystem::path& path);

/// Throws Error(kIo) with one clear line unless `path` is a readable regular file; `what` names its
/// role
/// ("model", "golden dump").
void require_regular_file(const std::filesystem::path& path, const std::string& what);

}  // namespace npuscope
