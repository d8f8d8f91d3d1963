// A file descriptor that belongs to this process alone.
#pragma once

#include <filesystem>
#include <sys/types.h>

namespace npuscope {

/// An open file that children do not share: a program started by exec has it closed, and a forked
/// child finds /dev/null under its number. A lock on the open file so ends with the process that
/// took it, however long its children live, and no child writes into its parent's file.
///
/// Threads: objects may be made and closed on any threads; one object belongs to one.
class OwnedDescriptor {
  public:
    OwnedDescriptor() = default;
    /// As open(2), with O_CLOEXEC. When it fails, get() is negative and errno says why.
    OwnedDescriptor(const std::filesystem::path& path, int flags, mode_t mode = 0);
    ~OwnedDescriptor();
    OwnedDescriptor(OwnedDescriptor&& other) noexcept;
    OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept;
    OwnedDescriptor(const OwnedDescriptor&) = delete;
    OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

    [[nodiscard]] int get() const { return descriptor_; }
    /// Closes it. Returns 0, or the errno with which the system refused.
    int close() noexcept;

  private:
    int descriptor_ = -1;
};

}  // namespace npuscope
