#include "compare/growth/no_pairs.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "compare/agreement.h"

namespace npuscope::compare {

namespace {

/// What comes in is the golden's.
bool is_like_input(const TensorResult& tensor) {
    constexpr double kLike = 0.05;
    return tensor.direction == dumpfile::Direction::kInput && !tensor.metrics.empty() &&
           distance_of(tensor, true).norm <= kLike;
}

class Search {
  public:
    Search(const Plan& plan, const SideDistances& target, const SideDistances& golden)
        : target_(target), golden_(golden) {
        for (const TensorTie& tie : plan.given)
            if (target.maker_of(tie.target.path) == nullptr &&
                golden.maker_of(tie.golden.path) == nullptr)
                given_[tie.target.op].push_back(&tie);
    }

    [[nodiscard]] bool are_strangers(const OpPair& pair, const OpResult& op) const {
        return (takes_something_else(pair) && std::ranges::none_of(op.tensors, is_like_input)) ||
               std::ranges::any_of(op.tensors,
                                   [&](const TensorResult& each) { return has_other_size(each); });
    }

  private:
    /// Whether what nobody computed is, in the golden, given to other ops.
    [[nodiscard]] bool takes_something_else(const OpPair& pair) const {
        const auto ties = given_.find(pair.target);
        return ties != given_.end() && std::ranges::none_of(ties->second, [&](const auto* tie) {
                   return golden_.is_given(pair.golden, tie->golden.path);
               });
    }

    [[nodiscard]] bool has_other_size(const TensorResult& tensor) const {
        return tensor.direction == dumpfile::Direction::kInput && is_of_other_shape(tensor) &&
               target_.maker_of(tensor.target) == nullptr &&
               golden_.maker_of(tensor.golden) == nullptr &&
               target_.numel_of(tensor.target) != golden_.numel_of(tensor.golden);
    }

    const SideDistances& target_;
    const SideDistances& golden_;
    std::unordered_map<const SourceOp*, std::vector<const TensorTie*>> given_{};
};

}  // namespace

NoPairs forget_no_pairs(const Plan& plan,
                        const SideDistances& target,
                        const SideDistances& golden,
                        Result& result) {
    const Search search(plan, target, golden);
    NoPairs found;
    for (size_t place = 0; place < plan.ops.size(); ++place) {
        const OpPair& pair = plan.ops[place];
        OpResult& op = result.ops[place];
        if (!pair.ties.empty() || pair.target == nullptr || pair.golden == nullptr ||
            op.is_unreadable)
            continue;
        if (search.are_strangers(pair, op)) {
            found.strangers.insert(place);
            for (TensorResult& tensor : op.tensors)
                tensor.judgement = {Verdict::kUndefined,
                                    "the golden's op of that name takes in something else"};
        }
        for (TensorResult& tensor : op.tensors)
            if (is_of_other_shape(tensor)) {
                found.unrelated.insert(place);
                tensor.judgement = {Verdict::kUndefined,
                                    tensor.judgement.rule + ", and nothing relates them"};
            }
    }
    return found;
}

}  // namespace npuscope::compare
