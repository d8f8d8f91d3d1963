#include "core/base/pending_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/file_lock.h"
#include "core/base/free_name.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"

namespace npuscope {

namespace fs = std::filesystem;

namespace {

void require_writable_folder(const fs::path& final_path) {
    fs::path folder = final_path.parent_path();
    if (folder.empty()) folder = ".";
    std::error_code ignored;
    if (fs::is_directory(final_path, ignored))
        throw Error(
            ErrorKind::kIo,
            "cannot write " + in_quotes(final_path) + ": it is a directory; give a file name");
    if (!fs::is_directory(folder, ignored))
        throw Error(ErrorKind::kIo,
                    "cannot write " + in_quotes(final_path) + ": the folder " + in_quotes(folder) +
                        " does not exist; create it first");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(ErrorKind::kIo,
                    "cannot write " + in_quotes(final_path) + ": the folder " + in_quotes(folder) +
                        " is not writable (" + std::generic_category().message(errno) + ")");
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// "a.h5" -> "a.h5.part.h5", "a.h5.part_2.h5", …
fs::path part_name(const fs::path& final_path, int number) {
    fs::path part = final_path;
    part += number == 1 ? ".part" : ".part_" + std::to_string(number);
    part += final_path.extension();
    return part;
}

void sync_content(const fs::path& path) {
    const OwnedDescriptor file(path, O_RDONLY);
    if (file.get() < 0 || ::fdatasync(file.get()) != 0)
        throw system_error("cannot write " + in_quotes(path), errno);
}

void sync_folder(const fs::path& final_path) {
    const fs::path folder = folder_of(final_path);
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool done = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int code = errno;
    if (descriptor >= 0) ::close(descriptor);
    // Some file systems cannot sync a folder; the file is there all the same.
    if (!done && code != EINVAL)
        throw system_error("cannot make the name of " + in_quotes(final_path) + " safe", code);
}

/// A device, a pipe or a socket, which no file must take the place of.
bool is_special(const fs::path& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

}  // namespace

PendingFile::PendingFile(fs::path final_path, PendingOptions options, bool by_name)
    : final_path_(std::move(final_path)), options_(std::move(options)), by_name_(by_name) {
    require_writable_folder(final_path_);
    if (is_special(final_path_))
        throw Error(ErrorKind::kIo,
                    "cannot replace " + in_quotes(final_path_) +
                        ", which is a device or a pipe; name a file");
    part_path_ = part_name(final_path_, 1);
    owner_ = ::getpid();
    open();
    pending_ = true;
}

PendingFile::PendingFile(fs::path final_path, PendingOptions options)
    : PendingFile(std::move(final_path), std::move(options), true) {
    for (int number = 2; !publish().empty(); ++number)
        part_path_ = part_name(final_path_, number);
}

PendingFile PendingFile::unpublished(fs::path final_path, PendingOptions options) {
    return {std::move(final_path), std::move(options), false};
}

PendingFile::~PendingFile() {
    discard();
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : final_path_(std::move(other.final_path_)),
      part_path_(std::move(other.part_path_)),
      work_path_(std::exchange(other.work_path_, {})),
      options_(std::move(other.options_)),
      file_(std::move(other.file_)),
      owner_(other.owner_),
      by_name_(other.by_name_),
      has_name_(std::exchange(other.has_name_, false)),
      pending_(std::exchange(other.pending_, false)) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
    if (this != &other) {
        discard();
        final_path_ = std::move(other.final_path_);
        part_path_ = std::move(other.part_path_);
        work_path_ = std::exchange(other.work_path_, {});
        options_ = std::move(other.options_);
        file_ = std::move(other.file_);
        owner_ = other.owner_;
        by_name_ = other.by_name_;
        has_name_ = std::exchange(other.has_name_, false);
        pending_ = std::exchange(other.pending_, false);
    }
    return *this;
}

/// A nameless file, or one under a name that nobody else makes.
void PendingFile::open() {
    if (options_.nameless_files) {
        file_ = OwnedDescriptor(folder_of(final_path_), O_TMPFILE | O_RDWR, options_.mode);
        if (file_.get() >= 0) {
            if (options_.locks) static_cast<void>(lock_as_writer(file_.get()));
            return;
        }
    }
    for (int number = 1;; ++number) {
        work_path_ = part_path_;
        work_path_ += "." + std::to_string(::getpid()) + "_" + std::to_string(number);
        file_ = OwnedDescriptor(work_path_, O_CREAT | O_EXCL | O_RDWR, options_.mode);
        if (file_.get() >= 0) break;
        if (errno == EEXIST) continue;
        const int code = errno;
        work_path_.clear();
        throw system_error("cannot create " + in_quotes(part_path_), code);
    }
    if (options_.locks) static_cast<void>(lock_as_writer(file_.get()));
}

/// Where there is no /proc a nameless file cannot get a name: its bytes move to one that has one.
void PendingFile::move_to_work_file() {
    OwnedDescriptor nameless = std::move(file_);
    options_.nameless_files = false;
    open();
    copy_bytes(nameless.get(), file_.get(), part_path_);
}

/// False when the part name is taken.
bool PendingFile::take_name() {
    if (work_path_.empty()) {
        const std::string nameless = "/proc/self/fd/" + std::to_string(file_.get());
        if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, part_path_.c_str(), AT_SYMLINK_FOLLOW) ==
            0)
            return true;
        const int code = errno;
        if (npuscope::has_name(file_.get(), part_path_)) return true;
        if (code == EEXIST) return false;
        move_to_work_file();
    }
    if (!rename_to_free_name(work_path_, part_path_)) return false;
    work_path_.clear();
    return true;
}

/// Takes away what a killed process left under the part name. Returns "", or who has it.
std::string PendingFile::clear_name() const {
    std::string another = "is being written by another process";
    struct stat found {};
    if (::lstat(part_path_.c_str(), &found) != 0) return another;  // it ends just now
    std::error_code failure;
    if (!S_ISREG(found.st_mode)) {
        // No dump: a link planted under that name must not be followed.
        if (!fs::remove(part_path_, failure) && failure)
            throw Error(ErrorKind::kIo,
                        "cannot remove " + in_quotes(part_path_) + ": " + failure.message());
        return {};
    }
    const OwnedDescriptor leftover(part_path_, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (leftover.get() < 0) return errno == EACCES ? "is being written by another user" : another;
    const Lock lock = options_.locks ? lock_as_heir(leftover.get()) : Lock::kUnsupported;
    if (lock == Lock::kUnsupported)
        return "may be written by another process (the file system has no locks; remove " +
               in_quotes(part_path_) + " when none does)";
    // Whoever ended between the two steps has renamed it.
    if (lock == Lock::kHeld || !has_name(leftover.get(), part_path_)) return another;
    if (options_.clear_leftover) options_.clear_leftover(part_path_);
    if (has_name(leftover.get(), part_path_) && ::unlink(part_path_.c_str()) != 0)
        throw system_error("cannot remove " + in_quotes(part_path_), errno);
    return {};
}

std::string PendingFile::publish() {
    constexpr int kMostAttempts = 100;
    if (has_name_) return {};
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        if (take_name()) {
            has_name_ = true;
            if (options_.durable) sync_folder(part_path_);
            return {};
        }
        std::string holder = clear_name();
        if (!holder.empty()) return holder;
    }
    return "is begun by other processes again and again";
}

void PendingFile::require_own_name() {
    if (owner_ != ::getpid())
        throw Error(
            ErrorKind::kIo,
            in_quotes(final_path_) + " belongs to the process that began it, not to its child");
    if (by_name_ || npuscope::has_name(file_.get(), part_path_)) return;
    pending_ = false;
    const fs::path kept = keep_beside(file_.get(), final_path_);
    throw Error(ErrorKind::kIo,
                in_quotes(part_path_) +
                    " was replaced or removed by another program; what was written is kept as " +
                    in_quotes(kept));
}

void PendingFile::commit() {
    require_own_name();
    // A network file system tells of a failed write when a descriptor is closed.
    const int copy = ::dup(file_.get());
    if (copy >= 0 && ::close(copy) != 0)
        throw system_error("cannot write " + in_quotes(part_path_), errno);
    std::error_code failure;
    if (fs::exists(final_path_, failure)) sync_content(part_path_);
    struct stat part {};
    const bool is_known = ::lstat(part_path_.c_str(), &part) == 0;
    fs::rename(part_path_, final_path_, failure);
    // It may be done all the same: see rename_to_free_name().
    if (failure && !(is_known && is_named(final_path_, part)))
        throw Error(
            ErrorKind::kIo,
            "cannot rename " + in_quotes(part_path_) + " to its final name: " + failure.message());
    pending_ = false;
    has_name_ = false;
    // The lock goes last: whoever finds the part name meanwhile sees that this process lives.
    file_.close();
    if (options_.durable) sync_folder(final_path_);
}

void PendingFile::discard() noexcept {
    if (std::exchange(pending_, false) && owner_ == ::getpid()) {
        if (!work_path_.empty()) ::unlink(work_path_.c_str());
        if (has_name_ && (by_name_ || npuscope::has_name(file_.get(), part_path_)))
            ::unlink(part_path_.c_str());
    }
    has_name_ = false;
    work_path_.clear();
    file_.close();
}

bool PendingFile::keep() noexcept {
    const bool kept = pending_ && has_name_;
    if (!kept) discard();
    pending_ = false;
    file_.close();
    return kept;
}

namespace {

void write_all(int descriptor, const std::string& content, const fs::path& path) {
    size_t done = 0;
    while (done < content.size()) {
        const ssize_t count = ::write(descriptor, content.data() + done, content.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const std::string reason =
                count < 0 ? std::generic_category().message(errno) : "nothing was written";
            throw Error(ErrorKind::kIo, "cannot write " + in_quotes(path) + ": " + reason);
        }
        done += static_cast<size_t>(count);
    }
}

}  // namespace

void write_text_file(const fs::path& path, const std::string& content) {
    if (is_special(path)) {
        const OwnedDescriptor special(path, O_WRONLY);
        if (special.get() < 0) throw system_error("cannot write " + in_quotes(path), errno);
        write_all(special.get(), content, path);
        return;
    }
    PendingFile pending(path, {.mode = 0644});
    write_all(pending.descriptor(), content, path);
    pending.commit();
}

std::string read_text_file(const fs::path& path) {
    require_regular_file(path, "file");
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) throw Error(ErrorKind::kIo, "cannot read " + in_quotes(path));
    return std::move(content).str();
}

void require_regular_file(const fs::path& path, const std::string& what) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        throw Error(ErrorKind::kIo,
                    "cannot open the " + what + " " + in_quotes(path) + ": " +
                        std::generic_category().message(errno) + "; check the path");
    if (S_ISDIR(status.st_mode))
        throw Error(
            ErrorKind::kIo,
            "cannot open the " + what + " " + in_quotes(path) + ": it is a directory; give a file");
    if (!S_ISREG(status.st_mode))
        throw Error(
            ErrorKind::kIo,
            "cannot open the " + what + " " + in_quotes(path) + ": it is not a regular file");
    if (::access(path.c_str(), R_OK) != 0)
        throw system_error("cannot open the " + what + " " + in_quotes(path), errno);
}

}  // namespace npuscope
