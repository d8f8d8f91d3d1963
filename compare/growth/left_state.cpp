#include "compare/growth/left_state.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/dtype/dtype.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

bool may_be_state(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return tensor.direction == Direction::kOutput && dtype && is_float(*dtype) &&
           numel_of(tensor.shape) > 1 && tensor.content && !tensor.content->constant;
}

/// What the ops of one side do with states: which have no partner, and what they take in.
class SideStates {
  public:
    SideStates(const Side& side, const std::unordered_set<const SourceOp*>& alone)
        : side_(side), alone_(alone), is_used_(side.flow.tensors.size(), false) {
        for (const TracedTensor& tensor : side.flow.tensors) {
            if (tensor.producer) is_used_[*tensor.producer] = true;
            if (tensor.direction != Direction::kInput || !tensor.content) continue;
            (is_alone(tensor) ? taken_alone_ : taken_in_pairs_).insert(tensor.content->bag);
        }
        for (const TracedTensor& tensor : side.flow.tensors) {
            const TracedTensor* before =
                may_be_state(tensor) ? state_before(side, tensor) : nullptr;
            if (before == nullptr) continue;
            updates_ = true;
            if (!is_alone(tensor) && before->content)
                updated_in_pairs_.emplace(before->content->bag, before);
        }
    }

    [[nodiscard]] bool has_alone() const {
        return std::ranges::any_of(side_.source.ops,
                                   [&](const SourceOp& op) { return alone_.contains(&op); });
    }

    /// Whether it updates states, and this one, which its pairs take in, is not among them.
    [[nodiscard]] bool leaves(const TracedTensor& state) const {
        return updates_ && state.content && state.content->tells_bag() &&
               taken_in_pairs_.contains(state.content->bag) &&
               !taken_alone_.contains(state.content->bag);
    }

    /// Ops without partner that write over a state for no op that comes after them, unless it is a
    /// copy of one that a pair updates (a mean over the steps); where `other` has such ops as well,
    /// of states alone that it leaves.
    void add_left(const SideStates& other, std::unordered_set<const SourceOp*>& left) const {
        const bool has_other = other.has_alone();
        for (size_t i = 0; i < is_used_.size(); ++i) {
            const TracedTensor& tensor = side_.tensor(i);
            if (is_used_[i] || !may_be_state(tensor) || !is_alone(tensor)) continue;
            const TracedTensor* before = state_before(side_, tensor);
            if (before == nullptr || is_copy(*before)) continue;
            if (!has_other || other.leaves(*before)) left.insert(&side_.source.ops[tensor.op]);
        }
    }

  private:
    [[nodiscard]] bool is_copy(const TracedTensor& state) const {
        if (!state.content || !state.content->tells_bag()) return false;
        const auto [first, last] = updated_in_pairs_.equal_range(state.content->bag);
        // A pair that updated this very tensor, in a step before, tells nothing.
        return first != last &&
               std::none_of(first, last, [&](const auto& each) { return each.second == &state; });
    }
    [[nodiscard]] bool is_alone(const TracedTensor& tensor) const {
        return alone_.contains(&side_.source.ops[tensor.op]);
    }

    const Side& side_;
    const std::unordered_set<const SourceOp*>& alone_;
    std::vector<bool> is_used_;
    std::unordered_set<uint64_t> taken_alone_{};
    std::unordered_set<uint64_t> taken_in_pairs_{};
    std::unordered_multimap<uint64_t, const TracedTensor*> updated_in_pairs_{};
    bool updates_ = false;
};

}  // namespace

LeftState::LeftState(const PairedFlows& flows) {
    std::unordered_set<const SourceOp*> alone;
    for (const OpPair& pair : flows.plan().ops) {
        if (pair.target != nullptr && pair.golden != nullptr) continue;
        alone.insert(pair.target != nullptr ? pair.target : pair.golden);
    }
    const SideStates target(flows.target(), alone);
    const SideStates golden(flows.golden(), alone);
    target.add_left(golden, ops_);
    golden.add_left(target, ops_);
}

bool LeftState::has(const Parting& parting) const {
    const auto is_one = [&](const SourceOp* op) { return ops_.contains(op); };
    return std::ranges::any_of(parting.only_target, is_one) ||
           std::ranges::any_of(parting.only_golden, is_one);
}

}  // namespace npuscope::compare
