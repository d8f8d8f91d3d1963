#include "compare/programs/given_vectors.h"

#include <algorithm>

#include "compare/dataflow/traced_numbers.h"
#include "compare/match.h"

namespace npuscope::compare {

using dumpfile::Direction;

std::vector<int64_t> given_vectors(const Side& side, const std::vector<const SourceOp*>& ops) {
    std::vector<int64_t> elements;
    for (const SourceOp* op : ops)
        for (const TracedTensor& tensor : side.of_op(*op))
            if (tensor.direction == Direction::kInput && !tensor.producer &&
                tensor.shape.size() == 1 && tensor.shape.front() > 1)
                elements.push_back(tensor.shape.front());
    return elements;
}

bool lacks_bias(const Plan& plan,
                const PairedFlows& flows,
                const std::vector<const SourceOp*>& target,
                const std::vector<const SourceOp*>& golden) {
    const std::vector<int64_t> biases = given_vectors(flows.golden(), golden);
    if (biases.empty() || !given_vectors(flows.target(), target).empty()) return false;
    return std::ranges::any_of(plan.ops, [&](const OpPair& pair) {
        if (pair.target != nullptr || pair.golden <= golden.back()) return false;
        const TracedTensor* made = only_result(flows.golden(), *pair.golden);
        return made != nullptr && std::ranges::find(biases, made->content->numel) != biases.end();
    });
}

}  // namespace npuscope::compare
