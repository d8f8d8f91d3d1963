// Runs of another tree that go with those of a golden one.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/recording/tree.h"

namespace npuscope::diagnose {

/// By the golden's runs; with one run alone the tree itself. `what` is the tree's name in errors:
/// "the repetition". Errors: those of recorded_runs() and pair_runs(); Error(kUsage) it lacks a run
/// that the golden has.
[[nodiscard]] std::map<std::filesystem::path, std::filesystem::path> runs_like(
    const std::filesystem::path& tree,
    const std::vector<RecordedRun>& golden,
    const std::string& what);

}  // namespace npuscope::diagnose
