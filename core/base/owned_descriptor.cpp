#include "core/base/owned_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace npuscope {

namespace {

/// The process's open ones. A process-wide table is the point: fork() copies the whole process.
struct Table {
    std::mutex mutex;
    std::vector<int> open;
};
Table& table() {
    // Never destroyed: a thread may fork while the process ends.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
    static Table& one = *new Table;
    return one;
}

// No descriptor is opened or closed while the process is copied.
void before_fork() {
    table().mutex.lock();
}
void after_fork_in_parent() {
    table().mutex.unlock();
}
void after_fork_in_child() {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : table().open)
        if (nowhere < 0 || ::dup3(nowhere, descriptor, O_CLOEXEC) < 0) ::close(descriptor);
    if (nowhere >= 0) ::close(nowhere);
    table().mutex.unlock();
}

void watch_forks() {
    static const int done =
        ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    static_cast<void>(done);
}

}  // namespace

OwnedDescriptor::OwnedDescriptor(const std::filesystem::path& path, int flags, mode_t mode) {
    watch_forks();
    const std::lock_guard guard(table().mutex);
    descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (descriptor_ >= 0) table().open.push_back(descriptor_);
}

OwnedDescriptor::~OwnedDescriptor() {
    close();
}

OwnedDescriptor::OwnedDescriptor(OwnedDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

OwnedDescriptor& OwnedDescriptor::operator=(OwnedDescriptor&& other) noexcept {
    if (this != &other) {
        close();
        descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
}

int OwnedDescriptor::close() noexcept {
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor < 0) return 0;
    const std::lock_guard guard(table().mutex);
    std::erase(table().open, descriptor);
    return ::close(descriptor) == 0 ? 0 : errno;
}

}  // namespace npuscope
