#include "core/h5/output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::h5 {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kMode = 0666;

class SystemFile : public OutputFile {
  public:
    explicit SystemFile(fs::path path) : path_(std::move(path)) {
        // A new inode: truncating a file in place is slow on ext4, and whoever reads the old one
        // goes on reading it.
        if (::unlink(path_.c_str()) != 0 && errno != ENOENT) fail("create", errno);
        const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
        descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
        if (descriptor_ >= 0) return;
        descriptor_ = ::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode);
        if (descriptor_ < 0) fail("create", errno);
        has_name_ = true;
    }
    ~SystemFile() override {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    SystemFile(const SystemFile&) = delete;
    SystemFile& operator=(const SystemFile&) = delete;

    void write(uint64_t offset, std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t count =
                ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) fail("write", count < 0 ? errno : ENOSPC);
            bytes = bytes.subspan(static_cast<size_t>(count));
            offset += static_cast<uint64_t>(count);
        }
    }

    void read(uint64_t offset, std::span<std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t count =
                ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) fail("read back", count < 0 ? errno : EIO);
            bytes = bytes.subspan(static_cast<size_t>(count));
            offset += static_cast<uint64_t>(count);
        }
    }

    void sync() override {
        if (::fdatasync(descriptor_) != 0) fail("write", errno);
    }

    void publish() override {
        if (std::exchange(has_name_, true)) return;
        const std::string nameless = "/proc/self/fd/" + std::to_string(descriptor_);
        if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0)
            return;
        // No /proc: the bytes so far move to a file that has its name from the start.
        if (errno == EEXIST) fail("create", errno);
        copy_to_named();
    }

    void close() override {
        const int descriptor = std::exchange(descriptor_, -1);
        if (descriptor >= 0 && ::close(descriptor) != 0) fail("close", errno);
    }

  private:
    [[noreturn]] void fail(const char* what, int code) const {
        throw Error(ErrorKind::kIo,
                    std::string("cannot ") + what + " '" + printable(path_.string()) +
                        "': " + std::generic_category().message(code));
    }

    void copy_to_named() {
        struct stat facts = {};
        if (::fstat(descriptor_, &facts) != 0) fail("create", errno);
        std::string bytes(static_cast<size_t>(facts.st_size), '\0');
        if (::pread(descriptor_, bytes.data(), bytes.size(), 0) != facts.st_size)
            fail("create", EIO);
        const int named = ::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode);
        if (named < 0) fail("create", errno);
        ::close(std::exchange(descriptor_, named));
        write(0, std::as_bytes(std::span(bytes)));
    }

    fs::path path_;
    int descriptor_ = -1;
    bool has_name_ = false;
};

class NoFile : public OutputFile {
  public:
    void write(uint64_t, std::span<const std::byte>) override {}
    void read(uint64_t, std::span<std::byte>) override {
        throw Error(ErrorKind::kInternal, "nothing was kept to be read back");
    }
    void sync() override {}
    void publish() override {}
    void close() override {}
};

}  // namespace

std::unique_ptr<OutputFile> create_output_file(const fs::path& path) {
    return std::make_unique<SystemFile>(path);
}

std::unique_ptr<OutputFile> no_output_file() {
    return std::make_unique<NoFile>();
}

}  // namespace npuscope::h5
