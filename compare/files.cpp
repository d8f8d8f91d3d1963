#include "compare/files.h"

#include <string>

#include "compare/align/turned_results.h"
#include "core/recording/joined.h"
#include "core/recording/source.h"

namespace npuscope::compare {

namespace {

Source open_ranks(const std::vector<RecordedRun>& runs, const Options& options) {
    std::vector<Source> sources;
    std::vector<std::string> ranks;
    for (const RecordedRun& run : runs) {
        const Arrays form = is_array_file(run.path) ? Arrays::kAlone : Arrays::kOfOps;
        sources.push_back(open_source(run.path, form));
        if (options.on_open) options.on_open(sources.back());
        ranks.push_back(run.rank);
    }
    if (sources.size() == 1) return std::move(sources.front());
    return join_ranks(std::move(sources), ranks);
}

/// Both are open.
void prepare(Source& target, Source& golden, const Options& options) {
    if (options.on_both) options.on_both(target, golden);
    if (options.splitter != nullptr && options.judging != Judging::kOff && options.dataflow &&
        options.align.mapping.empty())
        turn_results(target, golden);
}

}  // namespace

Result compare_ranks(const std::vector<RecordedRun>& target,
                     const std::vector<RecordedRun>& golden,
                     const Bounds& bounds,
                     const Options& options) {
    Source ours = open_ranks(target, options);
    Source theirs = open_ranks(golden, options);
    prepare(ours, theirs, options);
    return compare_sources(ours, theirs, bounds, options);
}

Result compare_files(const std::filesystem::path& target,
                     const std::filesystem::path& golden,
                     const Bounds& bounds,
                     const Options& options) {
    const Arrays form =
        is_array_file(target) && is_array_file(golden) ? Arrays::kAlone : Arrays::kOfOps;
    Source ours = open_source(target, form);
    Source theirs = open_source(golden, form);
    if (options.on_open) {
        options.on_open(ours);
        options.on_open(theirs);
    }
    prepare(ours, theirs, options);
    if (options.standard.third.empty()) return compare_sources(ours, theirs, bounds, options);
    Source third = open_source(options.standard.third, form);
    if (options.on_open) options.on_open(third);
    Options with_third = options;
    with_third.standard.third_source = &third;
    return compare_sources(ours, theirs, bounds, with_third);
}

}  // namespace npuscope::compare
