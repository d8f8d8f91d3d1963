#include "compare/programs/cut_short.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/programs/mark_span.h"

namespace npuscope::compare {

namespace {

/// The last op of a side that has a partner; nullptr without one.
const SourceOp* last_paired(const Plan& plan, bool of_target) {
    const SourceOp* last = nullptr;
    for (const OpPair& pair : plan.ops) {
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        const SourceOp* own = of_target ? pair.target : pair.golden;
        if (last == nullptr || own > last) last = own;
    }
    return last;
}

bool are_behind(const std::vector<const SourceOp*>& ops, const SourceOp* last) {
    return !ops.empty() && last != nullptr &&
           std::ranges::all_of(ops, [&](const SourceOp* op) { return op > last; });
}

/// What ends a program is fewer ops: a metric, a last layer.
constexpr size_t kMany = 16;

void note_early_end(const Plan& plan, Result& result) {
    for (const bool of_target : {true, false}) {
        const SourceOp* end = last_paired(plan, of_target);
        for (const Parting& parting : plan.partings) {
            const auto& own = of_target ? parting.only_target : parting.only_golden;
            const auto& more = of_target ? parting.only_golden : parting.only_target;
            const SourceOp* before = of_target ? parting.before_target : parting.before_golden;
            if (!own.empty() || more.size() < kMany || end == nullptr || before != end) continue;
            const std::string_view side = of_target ? "target" : "golden";
            const std::string_view other = of_target ? "golden" : "target";
            result.notes.push_back(fmt::format(
                "the {}'s recording ends {} ops before the {}'s, behind {}: was it cut off, or was "
                "a part of the step recorded?",
                side,
                more.size(),
                other,
                end->path));
            return;
        }
    }
}

}  // namespace

void forget_what_is_cut_off(Plan& plan,
                            const Source& target,
                            const Source& golden,
                            Result& result) {
    if (target.complete && golden.complete) {
        note_early_end(plan, result);
        return;
    }
    const auto places = places_of(plan);
    const SourceOp* of_target = last_paired(plan, true);
    const SourceOp* of_golden = last_paired(plan, false);
    std::vector<Parting> partings;
    std::vector<PartingResult> told;
    for (size_t i = 0; i < plan.partings.size(); ++i) {
        const Parting& parting = plan.partings[i];
        const bool is_cut_off = (parting.only_target.empty() && !target.complete &&
                                 are_behind(parting.only_golden, of_golden)) ||
                                (parting.only_golden.empty() && !golden.complete &&
                                 are_behind(parting.only_target, of_target));
        if (is_cut_off) {
            mark_span(parting, 0, std::nullopt, places, result);
        } else {
            partings.push_back(parting);
            told.push_back(std::move(result.partings[i]));
        }
    }
    plan.partings = std::move(partings);
    result.partings = std::move(told);
    result.cut_short = std::ranges::any_of(result.ops, [&](const OpResult& op) {
        return (op.target.empty() && !target.complete) || (op.golden.empty() && !golden.complete);
    });
}

}  // namespace npuscope::compare
