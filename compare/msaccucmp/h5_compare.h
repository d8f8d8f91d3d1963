// Compares two .h5 dumps and writes result_<stamp>.csv.
#pragma once

#include "compare/msaccucmp/log.h"
#include "compare/msaccucmp/options.h"

namespace npuscope::compare::msaccucmp {

/// The exit code. Errors: CommandError.
[[nodiscard]] int compare_h5(const CompareOptions& options, Log& log, int threads = 0);

}  // namespace npuscope::compare::msaccucmp
