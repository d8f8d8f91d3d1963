// Options of `msaccucmp overflow`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "msaccucmp/base/arguments.h"

namespace npuscope::msaccucmp {

struct OverflowOptions {
    std::string dump_path;
    std::string output_path;
    size_t top_n = 1;  ///< earliest overflows that are reported, 1 to 5
};

[[nodiscard]] std::vector<OptionSpec> overflow_option_specs();

/// Errors: CommandError(kUsageError); HelpAsked.
[[nodiscard]] OverflowOptions parse_overflow_options(std::span<const std::string> arguments);

}  // namespace npuscope::msaccucmp
