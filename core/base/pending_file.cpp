#include "core/base/pending_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope {

namespace fs = std::filesystem;

namespace {

std::string quoted(const fs::path& path) {
    return "'" + printable(path.string()) + "'";
}

void require_writable_folder(const fs::path& final_path) {
    fs::path folder = final_path.parent_path();
    if (folder.empty()) folder = ".";
    std::error_code ignored;
    if (fs::is_directory(final_path, ignored))
        throw Error(ErrorKind::kIo,
                    "cannot write " + quoted(final_path) + ": it is a directory; give a file name");
    if (!fs::is_directory(folder, ignored))
        throw Error(ErrorKind::kIo,
                    "cannot write " + quoted(final_path) + ": the folder " + quoted(folder) +
                        " does not exist; create it first");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(ErrorKind::kIo,
                    "cannot write " + quoted(final_path) + ": the folder " + quoted(folder) +
                        " is not writable (" + std::generic_category().message(errno) + ")");
}

void sync_folder(const fs::path& final_path) {
    const fs::path folder = final_path.has_parent_path() ? final_path.parent_path() : fs::path(".");
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool done = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int code = errno;
    if (descriptor >= 0) ::close(descriptor);
    // Some file systems cannot sync a folder; the file is there all the same.
    if (!done && code != EINVAL)
        throw Error(ErrorKind::kIo,
                    "cannot make the name of " + quoted(final_path) +
                        " safe: " + std::generic_category().message(code));
}

}  // namespace

PendingFile::PendingFile(fs::path final_path) : final_path_(std::move(final_path)) {
    require_writable_folder(final_path_);
    part_path_ = final_path_;
    part_path_ += ".part";
    part_path_ += final_path_.extension();
    // A new inode: truncating an old part file in place is slow on ext4, and a link planted under
    // that name must not be followed.
    std::error_code ignored;
    fs::remove(part_path_, ignored);
    pending_ = true;
}

PendingFile::~PendingFile() {
    discard();
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : final_path_(std::move(other.final_path_)),
      part_path_(std::move(other.part_path_)),
      pending_(std::exchange(other.pending_, false)) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
    if (this != &other) {
        discard();
        final_path_ = std::move(other.final_path_);
        part_path_ = std::move(other.part_path_);
        pending_ = std::exchange(other.pending_, false);
    }
    return *this;
}

void PendingFile::commit(bool durable) {
    std::error_code failure;
    fs::rename(part_path_, final_path_, failure);
    if (failure)
        throw Error(
            ErrorKind::kIo,
            "cannot rename " + quoted(part_path_) + " to its final name: " + failure.message());
    pending_ = false;
    if (durable) sync_folder(final_path_);
}

void PendingFile::discard() noexcept {
    if (!pending_) return;
    std::error_code ignored;
    fs::remove(part_path_, ignored);
    pending_ = false;
}

void write_text_file(const fs::path& path, const std::string& content) {
    PendingFile pending(path);
    const int descriptor =
        ::open(pending.part_path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0)
        throw Error(ErrorKind::kIo,
                    "cannot create " + quoted(pending.part_path()) + ": " +
                        std::generic_category().message(errno));
    size_t done = 0;
    while (done < content.size()) {
        const ssize_t count = ::write(descriptor, content.data() + done, content.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const std::string reason =
                count < 0 ? std::generic_category().message(errno) : "nothing was written";
            ::close(descriptor);
            throw Error(ErrorKind::kIo, "cannot write " + quoted(path) + ": " + reason);
        }
        done += static_cast<size_t>(count);
    }
    if (::close(descriptor) != 0)
        throw Error(ErrorKind::kIo,
                    "cannot write " + quoted(path) + ": " + std::generic_category().message(errno));
    pending.commit();
}

std::string read_text_file(const fs::path& path) {
    require_regular_file(path, "file");
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) throw Error(ErrorKind::kIo, "cannot read " + quoted(path));
    return std::move(content).str();
}

void require_regular_file(const fs::path& path, const std::string& what) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        throw Error(ErrorKind::kIo,
                    "cannot open the " + what + " " + quoted(path) + ": " +
                        std::generic_category().message(errno) + "; check the path");
    if (S_ISDIR(status.st_mode))
        throw Error(
            ErrorKind::kIo,
            "cannot open the " + what + " " + quoted(path) + ": it is a directory; give a file");
    if (!S_ISREG(status.st_mode))
        throw Error(ErrorKind::kIo,
                    "cannot open the " + what + " " + quoted(path) + ": it is not a regular file");
    if (::access(path.c_str(), R_OK) != 0)
        throw Error(ErrorKind::kIo,
                    "cannot open the " + what + " " + quoted(path) + ": " +
                        std::generic_category().message(errno));
}

}  // namespace npuscope
