#include "core/h5/output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/owned_descriptor.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"

namespace npuscope::h5 {

namespace fs = std::filesystem;

namespace {

class SystemFile : public OutputFile {
  public:
    void write(uint64_t offset, std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t count =
                ::pwrite(descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) fail("write", count < 0 ? errno : ENOSPC);
            bytes = bytes.subspan(static_cast<size_t>(count));
            offset += static_cast<uint64_t>(count);
        }
    }

    void read(uint64_t offset, std::span<std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t count =
                ::pread(descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) fail("read back", count < 0 ? errno : EIO);
            bytes = bytes.subspan(static_cast<size_t>(count));
            offset += static_cast<uint64_t>(count);
        }
    }

    void sync() override {
        if (::fdatasync(descriptor()) != 0) fail("write", errno);
    }

    void cut(uint64_t end) noexcept override {
        struct stat facts {};
        if (::fstat(descriptor(), &facts) != 0 || static_cast<uint64_t>(facts.st_size) <= end)
            return;
        const int done = ::ftruncate(descriptor(), static_cast<off_t>(end));
        static_cast<void>(done);  // the bytes do no harm
    }

  protected:
    [[nodiscard]] virtual int descriptor() const = 0;
    [[nodiscard]] virtual const fs::path& path() const = 0;
    [[noreturn]] void fail(const char* what, int code) const {
        throw system_error(std::string("cannot ") + what + " " + in_quotes(path()), code);
    }
};

class NamedFile : public SystemFile {
  public:
    explicit NamedFile(fs::path path) : path_(std::move(path)) {
        // A new inode: truncating a file in place is slow on ext4, and whoever reads the old one
        // goes on reading it.
        if (::unlink(path_.c_str()) != 0 && errno != ENOENT) fail("create", errno);
        file_ = OwnedDescriptor(path_, O_CREAT | O_EXCL | O_RDWR, 0666);
        if (file_.get() < 0) fail("create", errno);
    }
    void publish() override {}
    void close() override {
        if (const int code = file_.close()) fail("close", code);
    }

  protected:
    [[nodiscard]] int descriptor() const override { return file_.get(); }
    [[nodiscard]] const fs::path& path() const override { return path_; }

  private:
    fs::path path_;
    OwnedDescriptor file_;
};

class PartFile : public SystemFile {
  public:
    explicit PartFile(PendingFile& pending) : pending_(pending) {}
    void publish() override { static_cast<void>(pending_.publish()); }
    void close() override {}

  protected:
    [[nodiscard]] int descriptor() const override { return pending_.descriptor(); }
    [[nodiscard]] const fs::path& path() const override { return pending_.part_path(); }

  private:
    PendingFile& pending_;
};

class NoFile : public OutputFile {
  public:
    void write(uint64_t, std::span<const std::byte>) override {}
    void read(uint64_t, std::span<std::byte>) override {
        throw Error(ErrorKind::kInternal, "nothing was kept to be read back");
    }
    void sync() override {}
    void publish() override {}
    void cut(uint64_t) noexcept override {}
    void close() override {}
};

}  // namespace

std::unique_ptr<OutputFile> create_output_file(const fs::path& path) {
    return std::make_unique<NamedFile>(path);
}

std::unique_ptr<OutputFile> output_to(PendingFile& pending) {
    return std::make_unique<PartFile>(pending);
}

std::unique_ptr<OutputFile> no_output_file() {
    return std::make_unique<NoFile>();
}

}  // namespace npuscope::h5
