#include "compare/files.h"

#include "core/recording/source.h"

namespace npuscope::compare {

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
    if (options.standard.third.empty()) return compare_sources(ours, theirs, bounds, options);
    Source third = open_source(options.standard.third, form);
    if (options.on_open) options.on_open(third);
    Options with_third = options;
    with_third.standard.third_source = &third;
    return compare_sources(ours, theirs, bounds, with_third);
}

}  // namespace npuscope::compare
