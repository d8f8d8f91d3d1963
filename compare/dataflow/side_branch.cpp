#include "compare/dataflow/side_branch.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/naming/backward.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

class Branch {
  public:
    Branch(const Side& side, const std::vector<const SourceOp*>& ops) : side_(side) {
        for (const SourceOp* op : ops)
            inside_.insert(static_cast<size_t>(op - side.source.ops.data()));
        only_shows_ =
            std::ranges::all_of(ops, [](const SourceOp* op) { return is_cast(op->id.op); });
        for (const TracedTensor& tensor : side.flow.tensors)
            if (tensor.direction == Direction::kInput && inside_.contains(tensor.op) &&
                !is_from_inside(tensor) && tensor.content) {
                const auto elements = std::pair(tensor.content->numel, held(*tensor.content));
                given_.insert(elements);
                if (tensor.content->tells_bag()) telling_.insert(elements);
            }
    }

    /// For the ops outside.
    [[nodiscard]] bool changes_nothing() const {
        return !writes_over() && !makes_what_is_unknown() && !is_used();
    }

    [[nodiscard]] bool is_passed(const std::function<bool(const SourceOp&)>& is_paired) const {
        const size_t last = *std::ranges::max_element(inside_);
        return std::ranges::any_of(side_.flow.tensors, [&](const TracedTensor& tensor) {
            return tensor.direction == Direction::kInput && tensor.op > last &&
                   is_of(telling_, tensor) && is_paired(side_.source.ops[tensor.op]);
        });
    }

    /// Averages of what ops outside write over, and nothing else: copies of these at first, later
    /// what nobody else knows, beside what these have become.
    [[nodiscard]] bool writes_over_averages() const {
        std::unordered_set<uint64_t> updated;
        std::unordered_set<uint64_t> known;
        std::unordered_set<int64_t> sizes;  ///< of results of updates that are taken in
        for (const TracedTensor& tensor : side_.flow.tensors) {
            if (tensor.direction != Direction::kInput || !tensor.content) continue;
            if (inside_.contains(tensor.op)) {
                if (is_update(tensor)) sizes.insert(tensor.content->numel);
                continue;
            }
            known.insert(tensor.content->bag);
            if (is_state(tensor)) updated.insert(tensor.content->bag);
        }
        const auto is_average = [&](const TracedTensor* tensor) {
            return is_state(*tensor) && (updated.contains(tensor->content->bag) ||
                                         (!known.contains(tensor->content->bag) &&
                                          sizes.contains(tensor->content->numel)));
        };
        const std::vector<const TracedTensor*> states = written_over();
        return !states.empty() && std::ranges::all_of(states, is_average) &&
               !makes_what_is_unknown() && !is_used();
    }

  private:
    [[nodiscard]] bool writes_over() const { return !written_over().empty(); }

    /// What comes from outside.
    [[nodiscard]] std::vector<const TracedTensor*> written_over() const {
        std::vector<const TracedTensor*> found;
        for (const size_t op : inside_)
            for (const TracedTensor& tensor : side_.flow.of_op(op))
                if (tensor.direction == Direction::kInput && !is_from_inside(tensor) &&
                    is_written_over(side_, tensor))
                    found.push_back(&tensor);
        return found;
    }

    /// Whether it is what an op outside made of a state that it wrote over.
    [[nodiscard]] bool is_update(const TracedTensor& tensor) const {
        if (!tensor.producer || is_from_inside(tensor)) return false;
        const TracedTensor* before = compare::written_over(side_, side_.tensor(*tensor.producer));
        return before != nullptr && before->content;
    }

    [[nodiscard]] bool is_state(const TracedTensor& tensor) const {
        return tensor.direction == Direction::kInput && tensor.given && tensor.content &&
               tensor.content->tells_bag() && is_written_over(side_, tensor);
    }

    [[nodiscard]] bool makes_what_is_unknown() const {
        return std::ranges::any_of(side_.flow.tensors, [&](const TracedTensor& tensor) {
            return tensor.direction == Direction::kOutput && inside_.contains(tensor.op) &&
                   !tensor.content;
        });
    }

    [[nodiscard]] bool is_used() const {
        return std::ranges::any_of(side_.flow.tensors, [&](const TracedTensor& tensor) {
            return tensor.direction == Direction::kInput && !inside_.contains(tensor.op) &&
                   is_from_inside(tensor) && !is_of(given_, tensor) && !is_passed_on(tensor) &&
                   !is_part_by_chance(tensor);
        });
    }

    /// Whether it is some view of a result that is what its op was given (`abs` where nothing is
    /// negative).
    [[nodiscard]] bool is_passed_on(const TracedTensor& tensor) const {
        return is_of(given_, side_.tensor(*tensor.producer));
    }

    [[nodiscard]] bool is_from_inside(const TracedTensor& tensor) const {
        return tensor.producer && inside_.contains(side_.tensor(*tensor.producer).op);
    }
    /// A few plain elements are part of many tensors, and a plain number is made in many ways (how
    /// many of a batch are right).
    [[nodiscard]] static bool is_part_by_chance(const TracedTensor& tensor) {
        const auto& content = tensor.content;
        const bool is_plain =
            content && content->numel == 1 && content->fits_half && content->fits_bfloat;
        return is_plain || (tensor.ambiguous && tensor.passage == Passage::kPart);
    }
    [[nodiscard]] bool is_of(const std::set<std::pair<int64_t, uint64_t>>& elements,
                             const TracedTensor& tensor) const {
        return tensor.content && elements.contains({tensor.content->numel, held(*tensor.content)});
    }
    /// Views and copies show elements in another order; what else moves them (roll, flip) makes
    /// something else of them.
    [[nodiscard]] uint64_t held(const Content& content) const {
        return only_shows_ ? content.bag : content.sequence;
    }

    const Side& side_;
    std::unordered_set<size_t> inside_;
    bool only_shows_ = false;
    /// Elements of what comes from outside, and what tells them; and of what is no chance.
    std::set<std::pair<int64_t, uint64_t>> given_;
    std::set<std::pair<int64_t, uint64_t>> telling_;
};

}  // namespace

bool leads_nowhere(const Side& side,
                   const std::vector<const SourceOp*>& ops,
                   const std::function<bool(const SourceOp&)>& is_paired) {
    if (ops.empty()) return false;
    const Branch branch(side, ops);
    return branch.changes_nothing() && branch.is_passed(is_paired);
}

bool averages_states(const Side& side, const std::vector<const SourceOp*>& ops) {
    return !ops.empty() && Branch(side, ops).writes_over_averages();
}

bool ends_before_gradients(const Side& side,
                           const std::vector<const SourceOp*>& ops,
                           const std::function<bool(const SourceOp&)>& is_paired) {
    if (ops.empty() || !Branch(side, ops).changes_nothing()) return false;
    const SourceOp* last = *std::ranges::max_element(ops);
    const SourceOp* end = side.source.ops.data() + side.source.ops.size();
    const auto is_gradient = [](const SourceOp& op) { return is_backward(op.id.op); };
    return std::none_of(side.source.ops.data(), last + 1, is_gradient) &&
           std::any_of(
               last + 1, end, [&](const SourceOp& op) { return is_gradient(op) && is_paired(op); });
}

}  // namespace npuscope::compare
