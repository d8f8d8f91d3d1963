// `msaccucmp overflow`: which ops overflowed first, from the dumps of an overflow run.
#pragma once

#include "msaccucmp/base/log.h"
#include "msaccucmp/overflow/overflow_options.h"

namespace npuscope::msaccucmp {

/// Takes the earliest op-debug dumps below the folder, writes each as JSON, converts the dump of
/// the op that it names and writes overflow_summary_<time>.txt. Returns the code of what could not
/// be read; what could is in the summary. Errors: CommandError, (kInvalidOverflowStatus) and
/// (kInvalidOverflowType) when a status is 0: then there is no summary.
[[nodiscard]] int overflow(const OverflowOptions& options, Log& log);

}  // namespace npuscope::msaccucmp
