#include "compare/programs/views_of_others.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compare/dataflow/traced_numbers.h"
#include "compare/relate/dot_products.h"
#include "core/base/error.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// The square of the cosine between two results that are the same, perhaps of a loss that one side
/// scales.
constexpr double kSameResult = 0.75;

/// The results of a side that no view shows, by the elements that they hold in any order: the first
/// op of each.
class ComputedBags {
  public:
    explicit ComputedBags(const Side& side) : side_(side) {
        for (const TracedTensor& tensor : side.flow.tensors)
            if (tensor.direction == Direction::kOutput && tensor.content &&
                tensor.content->tells_bag() && !is_cast(side.source.ops[tensor.op].id.op))
                first_.emplace(tensor.content->bag, tensor.op);
    }

    /// Whether the view shows what an op before it computed.
    [[nodiscard]] bool has(const TracedTensor& view) const {
        const auto found = view.content ? first_.find(view.content->bag) : first_.end();
        return found != first_.end() && found->second < view.op;
    }

    [[nodiscard]] const Side& side() const { return side_; }

  private:
    const Side& side_;
    std::unordered_map<uint64_t, size_t> first_{};
};

bool show_others(const OpPair& pair, const ComputedBags& mine, const ComputedBags& theirs) {
    const bool are_views = pair.target != nullptr && pair.golden != nullptr &&
                           pair.also_target.empty() && pair.also_golden.empty() &&
                           is_cast(pair.target->id.op) && is_cast(pair.golden->id.op);
    if (!are_views) return false;
    const TracedTensor* own = only_result(mine.side(), *pair.target);
    const TracedTensor* other = only_result(theirs.side(), *pair.golden);
    if (own == nullptr || other == nullptr || !mine.has(*own) || !theirs.has(*other)) return false;
    if (own->content->numel != other->content->numel) return true;
    try {
        const Tensor target = traced_numbers(mine.side(), *own);
        const Tensor golden = traced_numbers(theirs.side(), *other);
        return !dot_products(target.as<double>(), golden.as<double>()).are_multiples(kSameResult);
    } catch (const Error&) {
        // What cannot be read is told where it is compared.
        return false;
    }
}

}  // namespace

bool part_views_of_others(const PairedFlows& flows, Plan& plan) {
    const ComputedBags mine(flows.target());
    const ComputedBags theirs(flows.golden());
    std::vector<OpPair> rest;
    const size_t before = plan.ops.size();
    for (OpPair& pair : plan.ops) {
        if (show_others(pair, mine, theirs)) {
            plan.casts.push_back({pair.target, nullptr});
            plan.casts.push_back({nullptr, pair.golden});
        } else {
            rest.push_back(std::move(pair));
        }
    }
    plan.ops = std::move(rest);
    return plan.ops.size() < before;
}

}  // namespace npuscope::compare
