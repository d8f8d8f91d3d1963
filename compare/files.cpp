#include "compare/files.h"

#include "core/recording/source.h"

namespace npuscope::compare {

Result compare_files(const std::filesystem::path& target,
                     const std::filesystem::path& golden,
                     const Bounds& bounds,
                     const Options& options) {
    const Arrays form =
        is_array_file(target) && is_array_file(golden) ? Arrays::kAlone : Arrays::kOfOps;
    return compare_sources(open_source(target, form), open_source(golden, form), bounds, options);
}

}  // namespace npuscope::compare
