#include "compare/programs/chosen_sizes.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compare/agreement.h"
#include "compare/programs/judged_alone.h"
#include "compare/verdict.h"
#include "core/base/error.h"
#include "core/naming/chosen_sizes.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Compared, and not equal.
bool differs(const TensorResult& tensor) {
    return !tensor.metrics.empty() && tensor.sums.max_d > 0;
}

class ChosenSizes {
  public:
    ChosenSizes(const Plan& plan, const Side& target, const Splitter& splitter, Result& result)
        : plan_(plan), target_(target), splitter_(splitter), result_(result) {}

    void take() {
        for (size_t place = 0; place < plan_.ops.size(); ++place) {
            const OpPair& pair = plan_.ops[place];
            OpResult& op = result_.ops[place];
            if (pair.target == nullptr || pair.golden == nullptr ||
                std::ranges::none_of(op.tensors, is_of_other_shape) ||
                !(is_choice(pair, op) || takes_in_chosen(pair, op)) || !is_right(pair))
                continue;
            for (const TracedTensor* tensor : of_other_shape(pair, op))
                chosen_.insert(tensor->content->sequence);
            for (TensorResult& tensor : op.tensors)
                if (is_of_other_shape(tensor))
                    tensor.judgement = {Verdict::kInherited,
                                        tensor.judgement.rule + ", as other elements choose"};
            op.shapes_differ = false;
            conclude(op, result_.allow_golden_at_fault);
        }
    }

  private:
    static bool is_choice(const OpPair& pair, const OpResult& op) {
        return chooses_size(pair.target->id.op) && op.arguments.empty() &&
               std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
                   return tensor.direction == Direction::kInput && differs(tensor);
               });
    }

    /// What it takes in has a size that was chosen: an op before took it in, or made it.
    [[nodiscard]] bool takes_in_chosen(const OpPair& pair, const OpResult& op) const {
        return std::ranges::any_of(of_other_shape(pair, op), [&](const TracedTensor* tensor) {
            return tensor->direction == Direction::kInput &&
                   chosen_.contains(tensor->content->sequence);
        });
    }

    [[nodiscard]] std::vector<const TracedTensor*> of_other_shape(const OpPair& pair,
                                                                  const OpResult& op) const {
        std::vector<const TracedTensor*> found;
        for (const TracedTensor& tensor : target_.of_op(*pair.target)) {
            const auto same = std::ranges::find(op.tensors, tensor.path, &TensorResult::target);
            if (tensor.content && same != op.tensors.end() && is_of_other_shape(*same))
                found.push_back(&tensor);
        }
        return found;
    }

    /// Of the target's op on its own inputs.
    [[nodiscard]] bool is_right(const OpPair& pair) const {
        try {
            const OpPair alone{.target = pair.target, .golden = nullptr};
            return std::ranges::all_of(
                judged_alone(splitter_, alone, [](const SourceTensor&) { return true; }),
                [](const AloneResult& result) {
                    return result.split.target && result.split.target->ratio <= 1;
                });
        } catch (const Error&) {
            return false;
        }
    }

    const Plan& plan_;
    const Side& target_;
    const Splitter& splitter_;
    Result& result_;
    std::unordered_set<uint64_t> chosen_;  ///< what the target's tensors of such a size hold
};

}  // namespace

void take_chosen_sizes(const Plan& plan,
                       const Traced& traced,
                       const Splitter& splitter,
                       Result& result) {
    if (!traced.flows || !traced.has_inputs()) return;
    ChosenSizes(plan, traced.flows->target(), splitter, result).take();
}

}  // namespace npuscope::compare
