#include "compare/programs/given_vectors.h"

#include <algorithm>

#include "compare/dataflow/traced_numbers.h"

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

bool lacks_bias(const PairedFlows& flows,
                const Parting& parting,
                const std::vector<Parting>& others) {
    const std::vector<int64_t> biases = given_vectors(flows.golden(), parting.only_golden);
    if (biases.empty() || !given_vectors(flows.target(), parting.only_target).empty()) return false;
    return std::ranges::any_of(others, [&](const Parting& other) {
        return other.only_target.empty() &&
               std::ranges::any_of(other.only_golden, [&](const SourceOp* op) {
                   const TracedTensor* made = only_result(flows.golden(), *op);
                   return made != nullptr && op > parting.only_golden.back() &&
                          std::ranges::find(biases, made->content->numel) != biases.end();
               });
    });
}

}  // namespace npuscope::compare
