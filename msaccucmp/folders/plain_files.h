// Two arrays in plain files: `compare` of two .npy or .txt files, and `file_compare`.
#pragma once

#include <span>
#include <string>

#include "msaccucmp/base/arguments.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/columns/options.h"

namespace npuscope::msaccucmp {

/// Logs one line of names, one of values, and the reasons. Returns the exit code. Errors:
/// CommandError.
[[nodiscard]] int compare_plain_files(const CompareOptions& options, Log& log, int threads = 0);

[[nodiscard]] std::vector<OptionSpec> file_compare_option_specs();
/// `arguments` are those after `file_compare`. Writes file_result_<stamp>.txt into -out. Errors:
/// CommandError; HelpAsked.
[[nodiscard]] int file_compare(std::span<const std::string> arguments, Log& log, int threads = 0);

}  // namespace npuscope::msaccucmp
