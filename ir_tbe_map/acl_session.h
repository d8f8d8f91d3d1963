// Kernel dumps as AscendCL switches them: init, set with an acl.json, finalize.
#pragma once

#include <filesystem>
#include <memory>

#include "ir_tbe_map/kernel_dump.h"

namespace npuscope::ir_tbe_map {

/// One session at a time on an executor, in this order. Source: aclmdlInitDump, aclmdlSetDump,
/// aclmdlFinalizeDump. Threads: the executor's.
class AclSession {
  public:
    /// Borrows the source.
    explicit AclSession(EventSource& source) : source_(source) {}

    /// Errors: Error(kUsage) when it was called already.
    void init_dump();
    /// From now on kernels are dumped. A second call ends the first one's dump. Errors:
    /// Error(kUsage) before init_dump(); as read_acl_config and KernelDumpScope.
    void set_dump(const std::filesystem::path& acl_json);
    /// What the last set_dump() dumped; nothing without one. Errors: Error(kUsage) before
    /// init_dump(); Error(kIo) when files could not be written.
    KernelDumpSummary finalize_dump();

    [[nodiscard]] bool initialised() const { return initialised_; }

  private:
    EventSource& source_;
    bool initialised_ = false;
    std::unique_ptr<KernelDumpScope> scope_;
};

}  // namespace npuscope::ir_tbe_map
