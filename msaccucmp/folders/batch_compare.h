// `compare` with a folder of rule files: one comparison for each model below
// MY/<device>/<model>/<model_id>/<step>.
#pragma once

#include <ostream>

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/options.h"

namespace npuscope::msaccucmp {

/// Writes <device>_<model>_<step>_result_<stamp>.csv for each. A comparison that ends early does
/// not keep the others from being made. Returns the exit code of the last, or of the first that
/// ended early. Errors: CommandError(kInvalidPath), (kInvalidParameter), (kParseJsonError).
[[nodiscard]] int compare_batch(const CompareOptions& options,
                                std::ostream& out,
                                Log& log,
                                int threads = 0);

}  // namespace npuscope::msaccucmp
