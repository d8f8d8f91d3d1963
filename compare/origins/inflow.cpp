#include "compare/origins/inflow.h"

#include <algorithm>

#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

bool has_inputs(const Side& side) {
    return std::ranges::any_of(side.flow.tensors, [](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput;
    });
}

}  // namespace

double error_of(const TensorResult& tensor) {
    return tensor.sums.numel > 0 ? relative_error(tensor) : 0;
}

Inflows::Inflows(const PairedFlows& flows, const Result& result)
    : flows_(flows),
      by_target_(has_inputs(flows.target())),
      side_(by_target_ ? &flows.target() : &flows.golden()),
      pair_of_(side_->source.ops.size()),
      consumed_(side_->flow.tensors.size()) {
    const auto take = [&](const SourceOp* op, size_t pair) {
        if (op != nullptr) pair_of_[static_cast<size_t>(op - side_->source.ops.data())] = pair;
    };
    const auto& pairs = flows.plan().ops;
    for (size_t pair = 0; pair < pairs.size(); ++pair) {
        take(by_target_ ? pairs[pair].target : pairs[pair].golden, pair);
        for (const SourceOp* op : by_target_ ? pairs[pair].also_target : pairs[pair].also_golden)
            take(op, pair);
    }
    known_.reserve(side_->flow.tensors.size());
    places_.reserve(side_->flow.tensors.size());
    for (const OpResult& op : result.ops)
        for (const TensorResult& tensor : op.tensors)
            known_.emplace(by_target_ ? tensor.target : tensor.golden, &tensor);
    for (size_t i = 0; i < side_->flow.tensors.size(); ++i) {
        const TracedTensor& tensor = side_->tensor(i);
        places_.emplace(tensor.path, i);
        if (tensor.producer) consumed_[*tensor.producer] = true;
    }
}

std::vector<Inflow> Inflows::of(size_t pair) const {
    std::vector<Inflow> inflows;
    const OpPair& ops = flows_.plan().ops[pair];
    const auto add = [&](const SourceOp* op) {
        if (op == nullptr) return;
        const auto index = static_cast<size_t>(op - side_->source.ops.data());
        const auto& first = side_->flow.first;
        for (size_t i = first[index]; i < first[index + 1]; ++i) {
            const TracedTensor& tensor = side_->tensor(i);
            if (tensor.direction != Direction::kInput) continue;
            Inflow inflow{.tensor = i};
            if (tensor.producer) inflow.maker = pair_of_[side_->tensor(*tensor.producer).op];
            // What the parts of a span give each other is its own.
            if (inflow.maker == pair) continue;
            const auto here = known_.find(tensor.path);
            const auto made =
                tensor.producer ? known_.find(side_->tensor(*tensor.producer).path) : known_.end();
            if (here != known_.end() && here->second->sums.numel > 0) {
                inflow.compared = here->second;
                inflow.error = error_of(*here->second);
            } else if (made != known_.end()) {
                inflow.error = error_of(*made->second);
            }
            inflows.push_back(inflow);
        }
    };
    for (const SourceOp* op : by_target_ ? ops.also_target : ops.also_golden)
        add(op);
    add(by_target_ ? ops.target : ops.golden);
    return inflows;
}

bool Inflows::is_last(const OpResult& op, const TensorResult& output) const {
    const auto is_used = [&](const TensorResult& tensor) {
        const auto place = places_.find(by_target_ ? tensor.target : tensor.golden);
        return place != places_.end() && consumed_[place->second];
    };
    if (output.direction != Direction::kOutput || is_used(output)) return false;
    // What an op of the forward pass keeps beside its result (a mask, a mean) is no output.
    return is_backward(op.id.op) ||
           std::ranges::none_of(op.tensors, [&](const TensorResult& other) {
               return other.direction == Direction::kOutput && is_used(other);
           });
}

bool is_tensor_taken_in(const Side& side, size_t made) {
    return std::ranges::any_of(side.flow.tensors,
                               [&](const TracedTensor& tensor) { return tensor.producer == made; });
}

bool is_taken_in(const Side& side, size_t op) {
    return std::ranges::any_of(side.flow.tensors, [&](const TracedTensor& tensor) {
        return tensor.producer && side.tensor(*tensor.producer).op == op;
    });
}

}  // namespace npuscope::compare
