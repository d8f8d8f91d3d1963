#include "compare/dataflow/parted_givens.h"

#include <map>
#include <set>

namespace npuscope::compare {

namespace {

/// Where the tensors of a shape that nobody made are taken in first.
using FirstUses = std::map<Shape, std::vector<size_t>>;

FirstUses given_to(const Side& side, const std::vector<const SourceOp*>& ops) {
    FirstUses uses;
    std::set<size_t> seen;
    for (const SourceOp* op : ops)
        for (const TracedTensor& input : side.of_op(*op))
            if (input.direction == dumpfile::Direction::kInput && input.given && !input.producer &&
                input.content && !input.content->constant && seen.insert(*input.given).second)
                uses[input.shape].push_back(static_cast<size_t>(&input - side.flow.tensors.data()));
    return uses;
}

/// Copies, casts and views that one side alone has, of either.
Parting parted_casts(const Plan& plan) {
    Parting parting;
    for (const OpPair& cast : plan.casts) {
        if (cast.golden == nullptr) parting.only_target.push_back(cast.target);
        if (cast.target == nullptr) parting.only_golden.push_back(cast.golden);
    }
    return parting;
}

class PartedGivens {
  public:
    explicit PartedGivens(const PairedFlows& flows) : flows_(flows) {
        const auto& ops = flows.plan().ops;
        for (size_t place = 0; place < ops.size(); ++place)
            if (ops[place].target != nullptr) places_.emplace(ops[place].target, place);
    }

    void add(const Parting& parting) {
        const FirstUses mine = given_to(flows_.target(), parting.only_target);
        const FirstUses theirs = given_to(flows_.golden(), parting.only_golden);
        for (const auto& [shape, uses] : mine) {
            const auto found = theirs.find(shape);
            if (uses.size() != 1 || found == theirs.end() || found->second.size() != 1) continue;
            const SourceOp* op =
                &flows_.target().source.ops[flows_.target().tensor(uses.front()).op];
            // A cast has no place itself.
            const auto place = places_.lower_bound(op);
            if (place == places_.end()) continue;
            pairs_.push_back({place->second, uses.front(), found->second.front()});
        }
    }

    [[nodiscard]] std::vector<InputPair> pairs() const { return pairs_; }

  private:
    const PairedFlows& flows_;
    std::map<const SourceOp*, size_t> places_;  ///< of the target's ops
    std::vector<InputPair> pairs_;
};

}  // namespace

std::vector<InputPair> parted_givens(const PairedFlows& flows) {
    const Plan& plan = flows.plan();
    if (plan.partings.empty() && plan.casts.empty()) return {};
    PartedGivens givens(flows);
    for (const Parting& parting : plan.partings)
        givens.add(parting);
    givens.add(parted_casts(plan));
    return givens.pairs();
}

}  // namespace npuscope::compare
