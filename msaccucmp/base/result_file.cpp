#include "msaccucmp/base/result_file.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

ResultFile::ResultFile(std::filesystem::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
        throw CommandError(kOpenFileError,
                           "Failed to open \"'" + path_.string() +
                               "'\": " + std::generic_category().message(errno));
}

ResultFile::~ResultFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void ResultFile::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("write");
        text.remove_prefix(static_cast<size_t>(written));
    }
}

void ResultFile::close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("close");
}

void ResultFile::remove() noexcept {
    ::unlink(path_.c_str());
}

/// A table that is cut in the middle looks like one of fewer tensors.
void ResultFile::fail(const char* what) {
    const std::string reason = std::generic_category().message(errno);
    remove();
    throw CommandError(
        kWriteFileError,
        std::string("Failed to ") + what + " \"'" + path_.string() + "'\": " + reason);
}

std::unique_ptr<ResultFile> new_result_file(const std::filesystem::path& folder,
                                            const std::string& prefix,
                                            const std::string& suffix) {
    for (int later = 0;; ++later) {
        std::string name = prefix;
        name += time_stamp(later);
        name += suffix;
        const auto path = folder / name;
        if (later < 60 && std::filesystem::exists(std::filesystem::symlink_status(path))) continue;
        return std::make_unique<ResultFile>(path);
    }
}

}  // namespace npuscope::msaccucmp
