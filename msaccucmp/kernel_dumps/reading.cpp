#include "msaccucmp/kernel_dumps/reading.h"

#include "core/cann_dump/dump_error.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/base/paths.h"

namespace npuscope::msaccucmp {

DumpFolder open_folder(const std::string& path, const DumpFolder::Options& options, Log& log) {
    const std::filesystem::path real = canonical(path);
    require_path(real.string(), PathType::kDirectory, log);
    try {
        return DumpFolder(real, options, [&](const std::string& remark) { log.warning(remark); });
    } catch (const cann_dump::DumpError& problem) {
        throw CommandError(exit_code_of(problem), problem.what());
    }
}

DumpedOp read_newest(const FolderEntry& entry) {
    try {
        return cann_dump::read_op(entry.newest());
    } catch (const Error& problem) {
        throw CompareFailure(exit_code_of(problem), problem.what());
    }
}

DumpedOp read_entry(const FolderEntry& entry, Log& log) {
    try {
        return cann_dump::read_op(entry, [&](const std::string& remark) { log.warning(remark); });
    } catch (const Error& problem) {
        throw CompareFailure(exit_code_of(problem), problem.what());
    }
}

}  // namespace npuscope::msaccucmp
