#include "compare/growth/last_ops.h"

#include <algorithm>

#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

/// Of the forward pass, behind all ops that have a partner, those whose results nothing takes in.
std::unordered_set<const SourceOp*> last_of(const Side& side,
                                            const std::unordered_set<const SourceOp*>& paired) {
    std::unordered_set<size_t> used;
    for (const TracedTensor& tensor : side.flow.tensors)
        if (tensor.producer) used.insert(side.tensor(*tensor.producer).op);
    std::unordered_set<const SourceOp*> last;
    for (size_t i = side.source.ops.size(); i-- > 0;) {
        const SourceOp& op = side.source.ops[i];
        if (is_backward(op.id.op)) continue;
        if (paired.contains(&op)) break;
        if (!used.contains(i)) last.insert(&op);
    }
    return last;
}

}  // namespace

LastOps::LastOps(const PairedFlows& flows) {
    const std::unordered_set<const SourceOp*> paired = paired_ops(flows.plan());
    target_ = last_of(flows.target(), paired);
    golden_ = last_of(flows.golden(), paired);
}

bool LastOps::has(const Parting& parting) const {
    if (target_.empty() || golden_.empty()) return false;
    return std::ranges::any_of(parting.only_target,
                               [&](const SourceOp* op) { return target_.contains(op); }) ||
           std::ranges::any_of(parting.only_golden,
                               [&](const SourceOp* op) { return golden_.contains(op); });
}

}  // namespace npuscope::compare
