#include "compare/growth/left_state.h"

#include <algorithm>
#include <vector>

#include "core/dtype/dtype.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// The input that the result was written over; nullptr of what is no such result.
const TracedTensor* written_over(const Side& side, const TracedTensor& result) {
    for (const TracedTensor& each : side.flow.of_op(result.op))
        if (each.direction == Direction::kInput &&
            writes_over(side.source.ops[result.op].id.op, each.argument, result.argument))
            return &each;
    return nullptr;
}

/// Whether it stands where something stood that no op had made, through all that wrote over it.
bool stands_in_state(const Side& side, const TracedTensor& result) {
    const TracedTensor* input = written_over(side, result);
    while (input != nullptr && input->producer)
        input = written_over(side, side.tensor(*input->producer));
    return input != nullptr;
}

bool may_be_state(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return tensor.direction == Direction::kOutput && dtype && is_float(*dtype) &&
           numel_of(tensor.shape) > 1 && tensor.content && !tensor.content->constant;
}

}  // namespace

LeftState::LeftState(const PairedFlows& flows) {
    std::unordered_set<const SourceOp*> alone;
    bool of_target = false;
    bool of_golden = false;
    for (const OpPair& pair : flows.plan().ops) {
        if (pair.target != nullptr && pair.golden != nullptr) continue;
        of_target = of_target || pair.target != nullptr;
        of_golden = of_golden || pair.golden != nullptr;
        alone.insert(pair.target != nullptr ? pair.target : pair.golden);
    }
    if (of_target == of_golden) return;
    const Side& side = of_target ? flows.target() : flows.golden();
    std::vector<bool> is_used(side.flow.tensors.size(), false);
    for (const TracedTensor& tensor : side.flow.tensors)
        if (tensor.producer) is_used[*tensor.producer] = true;
    for (size_t i = 0; i < is_used.size(); ++i) {
        const TracedTensor& tensor = side.tensor(i);
        const SourceOp* op = &side.source.ops[tensor.op];
        if (!is_used[i] && may_be_state(tensor) && alone.contains(op) &&
            stands_in_state(side, tensor))
            ops_.insert(op);
    }
}

bool LeftState::has(const Parting& parting) const {
    const auto is_one = [&](const SourceOp* op) { return ops_.contains(op); };
    return std::ranges::any_of(parting.only_target, is_one) ||
           std::ranges::any_of(parting.only_golden, is_one);
}

}  // namespace npuscope::compare
