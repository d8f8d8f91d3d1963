// What `compare` is told about tensors that belong together.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "compare/compare.h"
#include "core/recording/tree.h"

namespace npuscope::cli {

struct AlignArguments {
    bool align = false;
    bool no_align = false;
    std::string mapping;
    std::string mapping_out;
};

/// `arguments` is kept.
void add_align_options(CLI::App& app, AlignArguments& arguments);

/// Errors: Error(kUsage) where nothing is found that could be written.
void take_alignment(const AlignArguments& arguments, compare::AlignOptions& options);

/// Ranks of sides that are compared as one; both empty where they are not.
struct JoinedRanks {
    std::vector<RecordedRun> target;
    std::vector<RecordedRun> golden;
};

/// With --align, sides of one step and of other numbers of ranks are joined. Errors: those of
/// recorded_runs().
[[nodiscard]] JoinedRanks ranks_to_join(const AlignArguments& arguments,
                                        const std::string& target,
                                        const std::string& golden);

}  // namespace npuscope::cli
