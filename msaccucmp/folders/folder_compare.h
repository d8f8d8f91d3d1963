// `msaccucmp compare` of two dump folders.
#pragma once

#include <ostream>

#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/options.h"

namespace npuscope::msaccucmp {

/// Writes result_<stamp>.csv (or mapping_<stamp>.csv, or the details of one op) into -out, the
/// current folder without it; the tables of -op go to `out` too. Returns the exit code. Errors:
/// CommandError.
[[nodiscard]] int compare_folders(const CompareOptions& options,
                                  std::ostream& out,
                                  Log& log,
                                  int threads = 0);

/// The same with another name of the result file: `prefix`result_<stamp>.csv.
[[nodiscard]] int compare_folders_as(const std::string& prefix,
                                     const CompareOptions& options,
                                     std::ostream& out,
                                     Log& log,
                                     int threads = 0);

}  // namespace npuscope::msaccucmp
