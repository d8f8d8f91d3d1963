#include "compare/quick_choice.h"

#include <algorithm>
#include <limits>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

constexpr size_t kUnpaired = std::numeric_limits<size_t>::max();

/// The pair of each op of a side.
std::vector<size_t> pairs_of(const std::vector<SourceOp>& ops,
                             const Plan& plan,
                             const SourceOp* OpPair::*last,
                             const std::vector<const SourceOp*> OpPair::*others) {
    std::vector<size_t> pairs(ops.size(), kUnpaired);
    for (size_t i = 0; i < plan.ops.size(); ++i) {
        const OpPair& pair = plan.ops[i];
        if (pair.*last != nullptr) pairs[static_cast<size_t>(pair.*last - ops.data())] = i;
        for (const SourceOp* op : pair.*others)
            pairs[static_cast<size_t>(op - ops.data())] = i;
    }
    return pairs;
}

/// Chooses the makers of what `differing` pairs took in; notes whose results are taken in.
void follow(const Side& side,
            const std::vector<size_t>& pairs,
            const std::vector<bool>& differing,
            std::vector<bool>& chosen,
            std::vector<bool>& taken_in) {
    for (const TracedTensor& tensor : side.flow.tensors) {
        if (!tensor.producer || pairs[tensor.op] == kUnpaired) continue;
        const size_t maker = pairs[side.tensor(*tensor.producer).op];
        if (maker == kUnpaired || maker == pairs[tensor.op]) continue;
        taken_in[maker] = true;
        if (differing[pairs[tensor.op]]) chosen[maker] = true;
    }
}

}  // namespace

std::vector<size_t> quick_choice(const PairedFlows& flows, const std::vector<size_t>& differing) {
    const Plan& plan = flows.plan();
    std::vector<bool> differ(plan.ops.size());
    for (const size_t pair : differing)
        differ[pair] = true;
    std::vector<bool> chosen = differ;
    std::vector<bool> taken_in(plan.ops.size());
    const Side& target = flows.target();
    const Side& golden = flows.golden();
    follow(target,
           pairs_of(target.source.ops, plan, &OpPair::target, &OpPair::also_target),
           differ,
           chosen,
           taken_in);
    follow(golden,
           pairs_of(golden.source.ops, plan, &OpPair::golden, &OpPair::also_golden),
           differ,
           chosen,
           taken_in);
    std::vector<size_t> choice;
    for (size_t i = 0; i < plan.ops.size(); ++i)
        if ((chosen[i] || !taken_in[i]) && plan.ops[i].target != nullptr &&
            plan.ops[i].golden != nullptr)
            choice.push_back(i);
    return choice;
}

bool differs_anywhere(const OpResult& op) {
    return is_finding(op.judgement.verdict) ||
           std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
               return tensor.direction == dumpfile::Direction::kOutput && !tensor.metrics.empty() &&
                      Evidence{.sums = tensor.sums, .bound = tensor.judgement.bound}.differs();
           });
}

}  // namespace npuscope::compare
