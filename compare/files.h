// Compares files and folders of any kind: dumps, arrays, folders of dump files.
#pragma once

#include <filesystem>
#include <vector>

#include "compare/compare.h"
#include "core/recording/tree.h"

namespace npuscope::compare {

/// Any two that open_source() takes; two files of arrays array by array. Errors: its own, and those
/// of compare_sources().
[[nodiscard]] Result compare_files(const std::filesystem::path& target,
                                   const std::filesystem::path& golden,
                                   const Bounds& bounds = PrecisionBounds{},
                                   const Options& options = {});

/// The same of the runs of several ranks, those of a side as one (core/recording/joined.h).
[[nodiscard]] Result compare_ranks(const std::vector<RecordedRun>& target,
                                   const std::vector<RecordedRun>& golden,
                                   const Bounds& bounds = PrecisionBounds{},
                                   const Options& options = {});

}  // namespace npuscope::compare
