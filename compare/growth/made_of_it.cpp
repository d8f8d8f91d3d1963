#include "compare/growth/made_of_it.h"

#include <algorithm>

#include "compare/relate/kinship.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

void MadeOfIt::take(const std::vector<MeasuredRun>& runs) {
    for (const MeasuredRun& run : runs)
        if (!run.is_input) results_.emplace(plan_.ops[run.place].target, run.out.norm);
}

bool MadeOfIt::agrees(const MeasuredRun& run, double limit) const {
    return do_ways_agree(
        target_.users_of(run.tensor->target),
        [&](const SourceOp* op) { return target_.users_of(op); },
        [&](const SourceOp* op) { return way_through(op, limit); });
}

bool MadeOfIt::agrees_somewhere(const MeasuredRun& run, double limit) const {
    return does_a_way_agree(
        target_.users_of(run.tensor->target),
        [&](const SourceOp* op) { return target_.users_of(op); },
        [&](const SourceOp* op) { return way_through(op, limit); });
}

Way MadeOfIt::way_through(const SourceOp* op, double limit) const {
    // A step is small beside the parameter, which tells nothing of it.
    if (calculates_in_place(op->id.op)) return Way::kEnds;
    const auto [first, last] = results_.equal_range(op);
    const bool agrees = first != last && std::all_of(first, last, [&](const auto& each) {
                            return each.second <= limit;
                        });
    if (agrees) return Way::kAgrees;
    return step_of(op->op()) == OpStep::kSum ? Way::kSumsUp : Way::kGoesOn;
}

}  // namespace npuscope::compare
