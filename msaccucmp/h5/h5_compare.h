// Compares two .h5 dumps and writes result_<stamp>.csv.
#pragma once

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/options.h"

namespace npuscope::msaccucmp {

/// The exit code. Errors: CommandError.
[[nodiscard]] int compare_h5(const CompareOptions& options, Log& log, int threads = 0);

}  // namespace npuscope::msaccucmp
