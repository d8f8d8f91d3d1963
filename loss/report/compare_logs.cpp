#include <algorithm>

#include "loss/formats/format.h"
#include "loss/numbering.h"
#include "loss/report/report.h"

namespace npuscope::loss {

bool Comparison::found() const {
    return std::any_of(
        targets.begin(), targets.end(), [](const Judged& one) { return one.verdict.is_finding; });
}

Comparison compare_logs(const std::string& golden,
                        const std::vector<std::string>& targets,
                        const std::vector<std::string>& like,
                        const Options& options) {
    Comparison comparison;
    comparison.options = options;
    comparison.golden = read_log(golden);
    for (const std::string& path : like)
        comparison.like.push_back(numbered_like(comparison.golden, read_log(path)));
    for (const std::string& path : targets) {
        Judged one;
        one.log = numbered_like(comparison.golden, read_log(path));
        one.verdict = judge(comparison.golden, one.log, comparison.like, options);
        comparison.targets.push_back(std::move(one));
    }
    return comparison;
}

}  // namespace npuscope::loss
