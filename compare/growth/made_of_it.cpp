#include "compare/growth/made_of_it.h"

#include <algorithm>
#include <utility>

#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

/// So many ops on the way to what agrees, and so many looked at.
constexpr int kDeepest = 6;
constexpr size_t kMostOps = 64;

}  // namespace

void MadeOfIt::take(const std::vector<MeasuredRun>& runs) {
    for (const MeasuredRun& run : runs)
        if (!run.is_input) results_.emplace(plan_.ops[run.place].target, run.out.norm);
}

bool MadeOfIt::agrees(const MeasuredRun& run, double limit) const {
    std::vector<const SourceOp*> open = target_.users_of(run.tensor->target);
    std::unordered_set<const SourceOp*> seen(open.begin(), open.end());
    if (open.empty()) return false;
    for (int depth = 0; depth < kDeepest && !open.empty(); ++depth) {
        std::vector<const SourceOp*> next;
        for (const SourceOp* op : open) {
            const Way way = way_through(op, limit);
            if (way == Way::kEnds || seen.size() > kMostOps) return false;
            if (way == Way::kAgrees) continue;
            for (const SourceOp* user : target_.users_of(op))
                if (seen.insert(user).second) next.push_back(user);
        }
        open = std::move(next);
    }
    return open.empty();
}

MadeOfIt::Way MadeOfIt::way_through(const SourceOp* op, double limit) const {
    // A step is small beside the parameter, which tells nothing of it.
    if (calculates_in_place(op->id.op)) return Way::kEnds;
    const auto [first, last] = results_.equal_range(op);
    const bool agrees = first != last && std::all_of(first, last, [&](const auto& each) {
                            return each.second <= limit;
                        });
    if (agrees) return Way::kAgrees;
    return target_.users_of(op).empty() ? Way::kEnds : Way::kGoesOn;
}

}  // namespace npuscope::compare
