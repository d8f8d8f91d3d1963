#include "compare/growth/like_runs.h"

#include <algorithm>

namespace npuscope::compare {

namespace {

/// So many like runs, and one more, tell what an op usually adds.
constexpr size_t kFewRuns = 2;

}  // namespace

std::optional<double> LikeRuns::usual(const std::string& name, double added) {
    if (!sorted_)
        for (auto& [each, runs] : added_)
            std::ranges::sort(runs);
    sorted_ = true;
    const auto found = added_.find(name);
    if (found == added_.end() || found->second.size() <= kFewRuns) return std::nullopt;
    const std::vector<double>& runs = found->second;
    const auto own = static_cast<size_t>(std::ranges::lower_bound(runs, added) - runs.begin());
    const size_t middle = (runs.size() - 1) / 2;
    return runs[middle < own ? middle : middle + 1];
}

}  // namespace npuscope::compare
