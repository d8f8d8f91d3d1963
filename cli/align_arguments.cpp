#include "cli/align_arguments.h"

#include <algorithm>

#include "compare/relate/mapping.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/recording/joined.h"

namespace npuscope::cli {

namespace {

/// A side's ranks, or the side itself.
std::vector<RecordedRun> ranks_of(const std::string& side) {
    std::vector<RecordedRun> runs = rank_files(side);
    return runs.empty() ? recorded_runs(side) : runs;
}

bool is_one_step(const std::vector<RecordedRun>& runs) {
    return std::ranges::all_of(
        runs, [&](const RecordedRun& run) { return run.step == runs.front().step; });
}

}  // namespace

void add_align_options(CLI::App& app, AlignArguments& arguments) {
    app.add_flag("--align",
                 arguments.align,
                 "pair tensors by what they hold: equal, permuted, parts of others, sums; without "
                 "it where more than a tenth of the ops stay unpaired");
    app.add_flag("--no-align", arguments.no_align, "pair by names and order only")
        ->excludes("--align");
    app.add_option("--mapping",
                   arguments.mapping,
                   "file that says what belongs together: of --mapping-out, or one of msprobe's")
        ->excludes("--align")
        ->excludes("--no-align");
    app.add_option("--mapping-out", arguments.mapping_out, "file for what --align found");
}

void take_alignment(const AlignArguments& arguments, compare::AlignOptions& options) {
    using When = compare::AlignOptions::When;
    options.when = arguments.align      ? When::kAlways
                   : arguments.no_align ? When::kNever
                                        : When::kWhereUnpaired;
    options.mapping = arguments.mapping;
    if (arguments.mapping_out.empty()) return;
    if (!arguments.align && arguments.mapping.empty())
        throw Error(ErrorKind::kUsage, "--mapping-out writes what --align finds; give --align");
    options.on_ties = [path = arguments.mapping_out](const auto& ties) {
        write_text_file(path, compare::mapping_text(ties));
    };
}

JoinedRanks ranks_to_join(const AlignArguments& arguments,
                          const std::string& target,
                          const std::string& golden) {
    if (!arguments.align) return {};
    JoinedRanks ranks{.target = ranks_of(target), .golden = ranks_of(golden)};
    const bool are_joined = ranks.target.size() != ranks.golden.size() && !ranks.target.empty() &&
                            !ranks.golden.empty() && is_one_step(ranks.target) &&
                            is_one_step(ranks.golden);
    return are_joined ? ranks : JoinedRanks{};
}

}  // namespace npuscope::cli
