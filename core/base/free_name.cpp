#include "core/base/free_name.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/owned_descriptor.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"

namespace npuscope {

namespace fs = std::filesystem;

namespace {

/// False when the name is taken.
bool keep_as(int descriptor, const fs::path& target) {
    const std::string open_file = "/proc/self/fd/" + std::to_string(descriptor);
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno == EEXIST) return false;
    // It has no name at all any more.
    const OwnedDescriptor copy(target, O_CREAT | O_EXCL | O_RDWR, 0666);
    if (copy.get() < 0 && errno == EEXIST) return false;
    if (copy.get() < 0)
        throw system_error("cannot keep what was written as " + in_quotes(target), errno);
    try {
        copy_bytes(descriptor, copy.get(), target);
    } catch (const Error&) {
        ::unlink(target.c_str());
        throw;
    }
    return true;
}

}  // namespace

void copy_bytes(int from, int to, const fs::path& target) {
    std::array<char, 65536> piece{};
    for (off_t offset = 0;;) {
        const ssize_t count = ::pread(from, piece.data(), piece.size(), offset);
        if (count < 0) throw system_error("cannot write " + in_quotes(target), errno);
        if (count == 0) return;
        for (ssize_t done = 0; done < count;) {
            const auto rest = static_cast<size_t>(count - done);
            const ssize_t more = ::pwrite(to, piece.data() + done, rest, offset + done);
            if (more <= 0)
                throw system_error("cannot write " + in_quotes(target), more < 0 ? errno : ENOSPC);
            done += more;
        }
        offset += count;
    }
}

bool rename_to_free_name(const fs::path& from, const fs::path& to) {
    struct stat facts {};
    const bool is_known = ::lstat(from.c_str(), &facts) == 0;
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return true;
    const int code = errno;
    if (is_known && is_named(to, facts) && !is_named(from, facts)) return true;
    if (code == EEXIST) return false;
    // NFS cannot do it in one step.
    if (::link(from.c_str(), to.c_str()) == 0) {
        ::unlink(from.c_str());
        return true;
    }
    if (errno == EEXIST) return false;
    struct stat there {};
    if (::lstat(to.c_str(), &there) == 0) return false;
    if (::rename(from.c_str(), to.c_str()) == 0) return true;
    throw system_error("cannot rename " + in_quotes(from) + " to " + in_quotes(to), errno);
}

fs::path with_suffix(const fs::path& path, const std::string& suffix) {
    fs::path changed = path;
    changed.replace_filename(path.stem().string() + suffix + path.extension().string());
    return changed;
}

bool is_named(const fs::path& path, const struct stat& facts) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && found.st_dev == facts.st_dev &&
           found.st_ino == facts.st_ino;
}

bool has_name(int descriptor, const fs::path& path) {
    struct stat opened {};
    return ::fstat(descriptor, &opened) == 0 && is_named(path, opened);
}

fs::path keep_beside(int descriptor, const fs::path& path) {
    for (int number = 2;; ++number) {
        fs::path candidate = with_suffix(path, "_" + std::to_string(number));
        if (keep_as(descriptor, candidate)) return candidate;
    }
}

}  // namespace npuscope
