// `msaccucmp convert`: binary dumps to arrays.
#pragma once

#include "msaccucmp/base/log.h"
#include "msaccucmp/convert/convert_options.h"

namespace npuscope::msaccucmp {

/// Converts one file, a folder's files or a list of files on several threads. The exit code is that
/// of the first file that failed, in the order of names or of the list; the failed ones are listed
/// in convert_failed_file_list.txt. Errors: CommandError for what concerns all.
[[nodiscard]] int convert(const ConvertOptions& options, Log& log);

}  // namespace npuscope::msaccucmp
