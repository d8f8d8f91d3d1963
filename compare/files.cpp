#include "compare/files.h"

#include "compare/sources/source.h"

namespace npuscope::compare {

Result compare_files(const std::filesystem::path& target,
                     const std::filesystem::path& golden,
                     const Bounds& bounds,
                     const Options& options) {
    return compare_sources(open_source(target), open_source(golden), bounds, options);
}

}  // namespace npuscope::compare
