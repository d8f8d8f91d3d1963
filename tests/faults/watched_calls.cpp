// A library to preload: counts the system calls with which a program changes files below one
// folder, writes them down, and lets the n-th go wrong.
//
//   NPUSCOPE_CALLS_FOLDER  the folder, absolute and without links
//   NPUSCOPE_CALLS_LOG     a file outside of it, for what happened: calls.py reads it
//   NPUSCOPE_CALLS_PLAN    "NUMBER ACTION [VALUE]", numbers from 1:
//     fail ERRNO    the call is not made and returns the error
//     broken ERRNO  so are all later ones that need the disk
//     late ERRNO    the call is made, and returns the error all the same
//     short ERRNO   half of the bytes are written; all later writes return the error
//     kill 0        the process is killed before the call
//     torn 0        half of the bytes are written, then it is killed
//     signal NUMBER the process gets a signal before the call
//     twice NUMBER  two of them
//
// Programs that the process starts are let alone. Calls are made one at a time, in the log's order.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <climits>

namespace {

enum class Action { kNone, kFail, kBroken, kLate, kShort, kKill, kTorn, kSignal, kTwice };

struct Watch {
    std::string folder;
    int log = -1;
    pid_t process = 0;
    long count = 0;
    long number = 0;  ///< of the call that goes wrong
    Action action = Action::kNone;
    int value = 0;
    std::recursive_mutex mutex;
};

Watch& watch() {
    static Watch& one = *new Watch;
    return one;
}

Action action_named(const std::string& name) {
    int number = 0;
    for (const char* known :
         {"none", "fail", "broken", "late", "short", "kill", "torn", "signal", "twice"}) {
        if (name == known) return static_cast<Action>(number);
        ++number;
    }
    std::abort();
}

__attribute__((constructor)) void begin() {
    const char* folder = std::getenv("NPUSCOPE_CALLS_FOLDER");
    const char* log = std::getenv("NPUSCOPE_CALLS_LOG");
    if (folder == nullptr || log == nullptr) return;
    Watch& all = watch();
    all.log = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, log, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
    if (all.log < 0) std::abort();
    if (const char* plan = std::getenv("NPUSCOPE_CALLS_PLAN")) {
        char name[32] = "";
        if (std::sscanf(plan, "%ld %31s %d", &all.number, name, &all.value) != 3) std::abort();
        all.action = action_named(name);
    }
    all.process = ::getpid();
    all.folder = folder;
    for (const char* name : {"LD_PRELOAD", "NPUSCOPE_CALLS_FOLDER", "NPUSCOPE_CALLS_PLAN"})
        ::unsetenv(name);
}

bool is_on() {
    return !watch().folder.empty() && watch().process == ::getpid();
}

void put(const void* bytes, size_t count) {
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const long done = ::syscall(SYS_write, watch().log, at, count);
        if (done <= 0) std::abort();
        at += done;
        count -= static_cast<size_t>(done);
    }
}

/// "NUMBER RESULT WHAT…\n", and the bytes of a write.
void note(const std::string& result,
          const std::string& what,
          const void* bytes = nullptr,
          size_t count = 0) {
    const std::string line = std::to_string(watch().count) + " " + result + " " + what + "\n";
    put(line.data(), line.size());
    if (count > 0) put(bytes, count);
}

/// The path below the folder, "." for itself; "" elsewhere.
std::string below(const std::string& path) {
    const std::string& folder = watch().folder;
    if (path == folder) return ".";
    return path.rfind(folder + "/", 0) == 0 ? path.substr(folder.size() + 1) : "";
}

std::string name_of(int descriptor) {
    char link[PATH_MAX];
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = ::readlink(path.c_str(), link, sizeof link);
    return size > 0 ? std::string(link, static_cast<size_t>(size)) : "";
}

std::string watched(int descriptor) {
    return is_on() ? below(name_of(descriptor)) : "";
}

std::string watched(int folder, const char* path) {
    if (!is_on() || path == nullptr) return "";
    std::string whole = path;
    if (whole.empty()) return "";
    if (whole[0] != '/') {
        char current[PATH_MAX];
        if (folder == AT_FDCWD && ::getcwd(current, sizeof current) == nullptr) return "";
        whole = (folder == AT_FDCWD ? std::string(current) : name_of(folder)) + "/" + whole;
    }
    while (whole.size() > 1 && whole.back() == '/')
        whole.pop_back();
    const size_t slash = whole.rfind('/');
    const std::string parent = slash == 0 ? "/" : whole.substr(0, slash);
    const std::string last = whole.substr(slash + 1);
    char real[PATH_MAX];
    if (last == "." || last == "..")
        return ::realpath(whole.c_str(), real) != nullptr ? below(real) : "";
    if (::realpath(parent.c_str(), real) == nullptr) return "";
    return below(std::string(real) + "/" + last);
}

std::string inode_of(int descriptor) {
    struct stat facts {};
    return ::fstat(descriptor, &facts) == 0 ? std::to_string(facts.st_ino) : "0";
}

/// What is to happen to the call that is made now. Not all calls need room on the disk.
Action next(bool needs_disk = true) {
    Watch& all = watch();
    const long number = ++all.count;
    if (all.action == Action::kNone || number < all.number) return Action::kNone;
    if (number > all.number) {
        const bool stays = all.action == Action::kBroken || all.action == Action::kShort;
        return stays && needs_disk ? Action::kFail : Action::kNone;
    }
    if (all.action == Action::kKill) {
        note("killed", "");
        ::kill(::getpid(), SIGKILL);
    }
    if (all.action == Action::kSignal || all.action == Action::kTwice) ::raise(all.value);
    if (all.action == Action::kTwice) ::raise(all.value);
    if (all.action == Action::kBroken) return Action::kFail;
    return all.action;
}

template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// A call that is made as a whole or not at all.
template <class Make>
int whole_call(const std::string& what, bool needs_disk, Make&& make) {
    const std::lock_guard<std::recursive_mutex> guard(watch().mutex);
    const Action action = next(needs_disk);
    if (action == Action::kFail || action == Action::kShort) {
        note("failed", what);
        errno = watch().value;
        return -1;
    }
    const int result = make();
    const int code = errno;
    if (action == Action::kTorn) ::kill(::getpid(), SIGKILL);
    note(result < 0 ? "refused" : action == Action::kLate ? "late" : "done", what);
    errno = action == Action::kLate ? watch().value : code;
    return action == Action::kLate ? -1 : result;
}

/// What a file holds that may be open for writing only.
std::string read_back(int descriptor, off_t offset, size_t count) {
    std::string bytes(count, '\0');
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const long file = ::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || ::pread(static_cast<int>(file), bytes.data(), count, offset) < 0) std::abort();
    ::syscall(SYS_close, file);
    return bytes;
}

/// A call that writes `count` bytes at `offset`; `make` is told how many of them.
template <class Make>
ssize_t write_call(int descriptor, const void* bytes, size_t count, off_t offset, Make&& make) {
    const std::lock_guard<std::recursive_mutex> guard(watch().mutex);
    if (offset < 0) offset = ::lseek(descriptor, 0, SEEK_CUR);
    if ((::fcntl(descriptor, F_GETFL) & O_APPEND) != 0) {
        struct stat facts {};
        offset = ::fstat(descriptor, &facts) == 0 ? facts.st_size : 0;
    }
    const auto what = [&](size_t size) {
        return "write " + inode_of(descriptor) + " " + std::to_string(offset) + " " +
               std::to_string(size);
    };
    const Action action = next();
    if (action == Action::kFail || (action == Action::kShort && count < 2)) {
        note("failed", what(0));
        errno = watch().value;
        return -1;
    }
    const bool half = action == Action::kShort || action == Action::kTorn;
    const ssize_t done = make(half ? count / 2 : count);
    const int code = errno;
    const size_t written = done > 0 ? static_cast<size_t>(done) : 0;
    const std::string copied = bytes == nullptr ? read_back(descriptor, offset, written) : "";
    note(done < 0                  ? "refused"
         : action == Action::kLate ? "late"
                                   : "done",
         what(written),
         bytes == nullptr ? copied.data() : bytes,
         written);
    if (action == Action::kTorn) ::kill(::getpid(), SIGKILL);
    errno = action == Action::kLate ? watch().value : code;
    return action == Action::kLate ? -1 : done;
}

int open_call(const char* name, int folder, const char* path, int flags, mode_t mode) {
    using Open = int (*)(int, const char*, int, ...);
    const auto make = [&] { return real<Open>(name)(folder, path, flags, mode); };
    const std::string place = watched(folder, path);
    if (place.empty() || (flags & O_ACCMODE) == O_RDONLY) return make();
    // Opening what is there, to look at it or to wait for its lock, takes no room.
    const bool makes = (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    if (!makes) return make();
    std::string inode = "0";
    std::string seen;
    const std::lock_guard<std::recursive_mutex> guard(watch().mutex);
    const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    const Action action = next();
    if (action == Action::kFail || action == Action::kShort || action == Action::kLate) {
        note("failed", "open");
        errno = watch().value;
        return -1;
    }
    const int descriptor = make();
    const int code = errno;
    if (action == Action::kTorn) ::kill(::getpid(), SIGKILL);
    note(descriptor >= 0 ? "done" : "refused",
         "open " + (descriptor >= 0 ? inode_of(descriptor) : "0") +
             ((flags & O_TRUNC) != 0 ? " truncate " : " keep ") +
             (nameless ? std::string("-") : place));
    errno = code;
    return descriptor;
}

std::string pair(const std::string& first, const std::string& second) {
    return (first.empty() ? "-" : first) + " " + (second.empty() ? "-" : second);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_call("openat", AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_call("openat64", AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_call("openat", folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_call("openat64", folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
    using Open = FILE* (*)(const char*, const char*);
    const bool writes = std::strpbrk(mode, "wa+") != nullptr;
    if (!writes || watched(AT_FDCWD, path).empty()) return real<Open>("fopen")(path, mode);
    FILE* file = nullptr;
    std::string what = "open 0 truncate " + watched(AT_FDCWD, path);
    whole_call(what, true, [&] {
        file = real<Open>("fopen")(path, mode);
        if (file != nullptr)
            what = "open " + inode_of(::fileno(file)) + " truncate " + watched(AT_FDCWD, path);
        return file != nullptr ? 0 : -1;
    });
    return file;
}
FILE* fopen64(const char* path, const char* mode) {
    return fopen(path, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
    using Write = ssize_t (*)(int, const void*, size_t);
    if (watched(descriptor).empty()) return real<Write>("write")(descriptor, bytes, count);
    return write_call(descriptor, bytes, count, -1, [&](size_t size) {
        return real<Write>("write")(descriptor, bytes, size);
    });
}
ssize_t writev(int descriptor, const struct iovec* pieces, int count) {
    using Write = ssize_t (*)(int, const struct iovec*, int);
    if (watched(descriptor).empty()) return real<Write>("writev")(descriptor, pieces, count);
    std::string bytes;
    for (int i = 0; i < count; ++i)
        bytes.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
    return write(descriptor, bytes.data(), bytes.size());
}
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
    using Write = ssize_t (*)(int, const void*, size_t, off_t);
    if (watched(descriptor).empty()) return real<Write>("pwrite")(descriptor, bytes, count, offset);
    return write_call(descriptor, bytes, count, offset, [&](size_t size) {
        return real<Write>("pwrite")(descriptor, bytes, size, offset);
    });
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}
ssize_t sendfile(int to, int from, off_t* offset, size_t count) {
    using Send = ssize_t (*)(int, int, off_t*, size_t);
    if (watched(to).empty()) return real<Send>("sendfile")(to, from, offset, count);
    return write_call(to, nullptr, count, -1, [&](size_t size) {
        return real<Send>("sendfile")(to, from, offset, size);
    });
}
ssize_t copy_file_range(
    int from, off64_t* from_offset, int to, off64_t* to_offset, size_t count, unsigned flags) {
    using Copy = ssize_t (*)(int, off64_t*, int, off64_t*, size_t, unsigned);
    const auto make = [&](size_t size) {
        return real<Copy>("copy_file_range")(from, from_offset, to, to_offset, size, flags);
    };
    if (watched(to).empty()) return make(count);
    return write_call(to, nullptr, count, to_offset != nullptr ? *to_offset : -1, make);
}

int ftruncate(int descriptor, off_t size) {
    using Cut = int (*)(int, off_t);
    const auto make = [&] { return real<Cut>("ftruncate")(descriptor, size); };
    if (watched(descriptor).empty()) return make();
    return whole_call("truncate " + inode_of(descriptor) + " " + std::to_string(size), false, make);
}
int ftruncate64(int descriptor, off64_t size) {
    return ftruncate(descriptor, size);
}
int posix_fallocate(int descriptor, off_t offset, off_t size) {
    using Reserve = int (*)(int, off_t, off_t);
    int code = 0;
    const auto make = [&] {
        code = real<Reserve>("posix_fallocate")(descriptor, offset, size);
        return code == 0 ? 0 : -1;
    };
    if (watched(descriptor).empty()) return make() == 0 ? 0 : code;
    return whole_call("reserve " + inode_of(descriptor), true, make) == 0 ? 0
           : code != 0                                                    ? code
                                                                          : errno;
}
int fdatasync(int descriptor) {
    const auto make = [&] { return real<int (*)(int)>("fdatasync")(descriptor); };
    if (watched(descriptor).empty()) return make();
    return whole_call("sync " + inode_of(descriptor), true, make);
}
int fsync(int descriptor) {
    const auto make = [&] { return real<int (*)(int)>("fsync")(descriptor); };
    const std::string place = watched(descriptor);
    if (place.empty()) return make();
    struct stat facts {};
    if (::fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode))
        return whole_call("sync_folder " + place, true, make);
    return whole_call("sync " + inode_of(descriptor), true, make);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    using Rename = int (*)(int, const char*, int, const char*, unsigned);
    const auto make = [&] {
        return real<Rename>("renameat2")(from_folder, from, to_folder, to, flags);
    };
    const std::string old_name = watched(from_folder, from);
    const std::string new_name = watched(to_folder, to);
    if (old_name.empty() && new_name.empty()) return make();
    return whole_call("rename " + pair(old_name, new_name), true, make);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
    return renameat2(from_folder, from, to_folder, to, 0);
}
int rename(const char* from, const char* to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    using Link = int (*)(int, const char*, int, const char*, int);
    const auto make = [&] { return real<Link>("linkat")(from_folder, from, to_folder, to, flags); };
    const std::string new_name = watched(to_folder, to);
    if (new_name.empty()) return make();
    struct stat facts {};
    const int follow = (flags & AT_SYMLINK_FOLLOW) != 0 ? 0 : AT_SYMLINK_NOFOLLOW;
    if (::fstatat(from_folder, from, &facts, follow) != 0) return make();
    return whole_call("link " + std::to_string(facts.st_ino) + " " + new_name, true, make);
}
int link(const char* from, const char* to) {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlinkat(int folder, const char* path, int flags) {
    using Unlink = int (*)(int, const char*, int);
    const auto make = [&] { return real<Unlink>("unlinkat")(folder, path, flags); };
    const std::string place = watched(folder, path);
    if (place.empty()) return make();
    return whole_call(
        ((flags & AT_REMOVEDIR) != 0 ? "remove_folder " : "unlink ") + place, false, make);
}
int unlink(const char* path) {
    return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(const char* path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char* path) {
    struct stat facts {};
    const bool is_folder = ::lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    return unlinkat(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}
int mkdirat(int folder, const char* path, mode_t mode) {
    using Make = int (*)(int, const char*, mode_t);
    const auto make = [&] { return real<Make>("mkdirat")(folder, path, mode); };
    const std::string place = watched(folder, path);
    if (place.empty()) return make();
    return whole_call("make_folder " + place, true, make);
}
int mkdir(const char* path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

}  // extern "C"
