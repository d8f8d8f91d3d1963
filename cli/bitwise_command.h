// `compare --bitwise`: runs that should repeat each other.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/command.h"

namespace npuscope::cli {

/// Prints the report. Returns the exit code. Errors: diagnose::compare_bitwise().
int run_bitwise(const std::vector<std::filesystem::path>& paths, const Globals& globals);

}  // namespace npuscope::cli
