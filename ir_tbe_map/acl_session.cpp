#include "ir_tbe_map/acl_session.h"

#include <utility>

#include "core/base/error.h"

namespace npuscope::ir_tbe_map {

void AclSession::init_dump() {
    if (initialised_)
        throw Error(ErrorKind::kUsage,
                    "init_dump was called already; finalize_dump ends the dump before another");
    initialised_ = true;
}

void AclSession::set_dump(const std::filesystem::path& acl_json) {
    if (!initialised_)
        throw Error(ErrorKind::kUsage, "set_dump comes after init_dump; call that one first");
    KernelDumpOptions options;
    options.config = read_acl_config(acl_json);
    options.log = DeviceLog::from_environment();
    scope_.reset();
    scope_ = std::make_unique<KernelDumpScope>(source_, std::move(options));
}

KernelDumpSummary AclSession::finalize_dump() {
    if (!std::exchange(initialised_, false))
        throw Error(ErrorKind::kUsage, "finalize_dump comes after init_dump; nothing is on");
    const std::unique_ptr<KernelDumpScope> scope = std::move(scope_);
    return scope ? scope->close() : KernelDumpSummary{};
}

}  // namespace npuscope::ir_tbe_map
