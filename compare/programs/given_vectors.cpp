#include "compare/programs/given_vectors.h"

#include <algorithm>

#include "compare/dataflow/traced_numbers.h"
#include "compare/match.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

using dumpfile::Direction;

namespace {

/// Nobody computed it, or a cast made it of such a tensor.
bool is_given_or_cast(const Side& side, const TracedTensor& tensor) {
    if (!tensor.producer) return true;
    const SourceOp& maker = side.source.ops[side.tensor(*tensor.producer).op];
    return is_cast(maker.id.op) &&
           std::ranges::none_of(side.of_op(maker), [](const TracedTensor& taken) {
               return taken.direction == Direction::kInput && taken.producer;
           });
}

/// Elements of each vector among what the ops take in of which `is_asked` holds.
template <class IsAsked>
std::vector<int64_t> vectors(const Side& side,
                             const std::vector<const SourceOp*>& ops,
                             const IsAsked& is_asked) {
    std::vector<int64_t> elements;
    for (const SourceOp* op : ops)
        for (const TracedTensor& tensor : side.of_op(*op))
            if (tensor.direction == Direction::kInput && tensor.shape.size() == 1 &&
                tensor.shape.front() > 1 && is_asked(tensor))
                elements.push_back(tensor.shape.front());
    return elements;
}

/// A result of the golden's op that the target's has not: one of several gradients.
bool is_made_alone(const TracedTensor& made, const PairedFlows& flows, const OpPair& pair) {
    return made.direction == Direction::kOutput && made.content &&
           std::ranges::none_of(flows.target().of_op(*pair.target), [&](const TracedTensor& each) {
               return each.direction == Direction::kOutput && each.argument == made.argument;
           });
}

}  // namespace

std::vector<int64_t> given_vectors(const Side& side, const std::vector<const SourceOp*>& ops) {
    return vectors(side, ops, [](const TracedTensor& tensor) { return !tensor.producer; });
}

bool lacks_bias(const Plan& plan,
                const PairedFlows& flows,
                const std::vector<const SourceOp*>& target,
                const std::vector<const SourceOp*>& golden) {
    // What an optimizer updates is no bias of its ops.
    const auto biases_of = [](const Side& side, const std::vector<const SourceOp*>& ops) {
        return vectors(side, ops, [&](const TracedTensor& tensor) {
            return is_given_or_cast(side, tensor) && !is_written_over(side, tensor);
        });
    };
    const std::vector<int64_t> biases = biases_of(flows.golden(), golden);
    if (biases.empty() || !biases_of(flows.target(), target).empty()) return false;
    const auto is_of_bias = [&](const TracedTensor& made) {
        return std::ranges::find(biases, made.content->numel) != biases.end();
    };
    return std::ranges::any_of(plan.ops, [&](const OpPair& pair) {
        if (pair.golden <= golden.back()) return false;
        if (pair.target != nullptr)
            return std::ranges::any_of(flows.golden().of_op(*pair.golden),
                                       [&](const TracedTensor& made) {
                                           return is_made_alone(made, flows, pair) &&
                                                  made.shape.size() == 1 && is_of_bias(made);
                                       });
        const TracedTensor* made = only_result(flows.golden(), *pair.golden);
        return made != nullptr && is_of_bias(*made);
    });
}

}  // namespace npuscope::compare
