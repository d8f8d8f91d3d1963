#include "compare/dataflow/differing_outputs.h"

#include <algorithm>

#include "core/naming/backward.h"

namespace npuscope::compare {

using dumpfile::Direction;

std::vector<bool> differing_outputs(const PairedFlows& flows) {
    std::vector<bool> differs(flows.plan().ops.size(), true);
    bool any = false;
    const Dataflow& flow = flows.golden().flow;
    for (size_t pair = 0; pair < flows.plan().ops.size(); ++pair) {
        const SourceOp* op = flows.plan().ops[pair].golden;
        if (op != nullptr) {
            const auto index = static_cast<size_t>(op - flows.golden().source.ops.data());
            for (size_t i = flow.first[index]; i < flow.first[index + 1]; ++i) {
                const auto partner = flows.partner_of(i);
                if (flow.tensors[i].direction != Direction::kOutput || !partner) continue;
                const auto& mine = flows.target().tensor(*partner).content;
                any = any || !mine || !flow.tensors[i].content ||
                      !same_content(*mine, *flow.tensors[i].content);
            }
        }
        differs[pair] = any;
    }
    return differs;
}

std::optional<size_t> first_backward_of(const PairedFlows& flows) {
    const auto& ops = flows.plan().ops;
    const auto first = std::ranges::find_if(ops, [](const OpPair& pair) {
        return pair.target != nullptr && is_backward(pair.target->id.op);
    });
    if (first == ops.end()) return std::nullopt;
    return static_cast<size_t>(first - ops.begin());
}

}  // namespace npuscope::compare
