#include "diagnose/judge/explained_ops.h"

#include <algorithm>
#include <span>
#include <vector>

#include "compare/match.h"
#include "core/naming/unread.h"
#include "diagnose/judge/replay_numbers.h"

namespace npuscope::diagnose {

namespace {

using compare::PairedFlows;
using compare::Side;
using compare::TracedTensor;
using dumpfile::Direction;

/// The result that copies show, to the bit.
size_t before_copies(const Side& golden, size_t result) {
    for (;;) {
        const TracedTensor& shown = golden.tensor(result);
        const std::span<const TracedTensor> tensors = golden.flow.of_op(shown.op);
        const auto given = std::ranges::find_if(tensors, [&](const TracedTensor& each) {
            return each.direction == Direction::kInput && each.producer && each.content &&
                   shown.content && compare::same_content(*each.content, *shown.content);
        });
        if (given == tensors.end()) return result;
        result = *given->producer;
    }
}

/// Numbers that are no plain ones: others agree whatever they are made of. Of one alone, such as a
/// loss, little must be allowed.
bool tells(const TracedTensor& result, double allowed) {
    const auto dtype = dtype_from_name(result.dtype);
    if (!result.content || !dtype || !is_float(*dtype)) return false;
    return result.content->numel > 1 ? !result.content->constant : is_no_chance(result, allowed);
}

}  // namespace

std::unordered_set<const SourceOp*> ops_explained(const PairedFlows& flows,
                                                  const ReplayedResults& results) {
    const Side& target = flows.target();
    std::vector<size_t> makers = results.found_ops;
    for (const auto& [index, judged] : results.judged)
        if (judged.agrees() && !judged.is_scaled &&
            tells(flows.golden().tensor(index), judged.allowed) &&
            (judged.allowed <= kTight || compare::are_of_two_kinds(flows.plan().ops[judged.pair])))
            makers.push_back(judged.op);
    std::unordered_set<const SourceOp*> explained;
    for (const size_t maker : makers)
        for (const TracedTensor& input : target.flow.of_op(maker)) {
            if (input.direction != Direction::kInput || !input.producer || input.ambiguous ||
                is_unread(target.source.ops[maker].id.op, input.argument) ||
                results.agreeing.contains(target.tensor(*input.producer).path))
                continue;
            for (const size_t op :
                 ops_between(target, results.agreeing, target.tensor(*input.producer).op))
                explained.insert(&target.source.ops[op]);
        }
    return explained;
}

bool is_on_the_way(const PairedFlows& flows,
                   const ReplayedResults& results,
                   const std::unordered_set<const SourceOp*>& settled,
                   size_t result) {
    const Side& golden = flows.golden();
    const size_t shown = before_copies(golden, result);
    const auto judged = results.judged.find(shown);
    // A copy of what a norm leaves for its gradient, which the other side keeps otherwise.
    if (judged == results.judged.end() && shown != result)
        return stands_beside_agreeing(golden, results, shown);
    return judged != results.judged.end() &&
           compare::are_of_two_kinds(flows.plan().ops[judged->second.pair]) &&
           settled.contains(&golden.source.ops[golden.tensor(shown).op]);
}

}  // namespace npuscope::diagnose
