// The dumps below a folder, by what their names say.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/cann_dump/name.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/kernel_dumps/op_debug.h"

namespace npuscope::msaccucmp {

struct FoundDump {
    std::filesystem::path path;
    cann_dump::FileNameFields fields;  ///< of the name, or of what mapping.csv has for it
};

/// Every file whose name is a dump's, in the order of paths, 30 folders deep. Links to folders are
/// not followed.
[[nodiscard]] std::vector<FoundDump> find_dumps(const std::filesystem::path& folder, Log& log);

[[nodiscard]] bool is_op_debug(const FoundDump& dump);

/// The earliest dump of the op that a unit reports: same task and stream, and same context and
/// thread where they are given (not 0, not 65535). A name without a stream counts when no other
/// matches. Null when there is none.
[[nodiscard]] const FoundDump* find_culprit(const std::vector<FoundDump>& dumps,
                                            const OpDebugUnit& unit);

}  // namespace npuscope::msaccucmp
