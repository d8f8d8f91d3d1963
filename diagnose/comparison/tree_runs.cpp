#include "diagnose/comparison/tree_runs.h"

#include "compare/pair_runs.h"
#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::diagnose {

std::map<std::filesystem::path, std::filesystem::path> runs_like(
    const std::filesystem::path& tree,
    const std::vector<RecordedRun>& golden,
    const std::string& what) {
    if (golden.size() == 1) return {{golden.front().path, tree}};
    std::map<std::filesystem::path, std::filesystem::path> found;
    for (const compare::RunPair& pair : compare::pair_runs(recorded_runs(tree), golden)) {
        if (!pair.golden) continue;
        if (!pair.target)
            throw Error(ErrorKind::kUsage,
                        what + " " + in_quotes(tree) +
                            " lacks a run that the others have: " + pair.golden->text());
        found[pair.golden->path] = pair.target->path;
    }
    return found;
}

}  // namespace npuscope::diagnose
