// `compare --bitwise`: runs that should repeat each other.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/command.h"
#include "diagnose/comparison/judging_files.h"

namespace npuscope::cli {

/// Prints the report; of trees one a step and rank, and a line for each. Of the request the regions
/// to ignore are taken. Returns the exit code. Errors: diagnose::compare_bitwise(),
/// recorded_runs(), and those of JudgingFiles.
int run_bitwise(const std::vector<std::filesystem::path>& paths,
                const diagnose::JudgingRequest& request,
                const Globals& globals);

}  // namespace npuscope::cli
