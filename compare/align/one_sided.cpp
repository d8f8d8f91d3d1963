#include "compare/align/one_sided.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "compare/match.h"
#include "compare/relate/nowhere.h"
#include "core/base/error.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

class OneSide {
  public:
    OneSide(const Relations& relations, const Source& source, const Source& other, bool of_target)
        : own_(of_target ? relations.target : relations.golden),
          others_(of_target ? relations.golden : relations.target),
          source_(source),
          other_(other),
          of_target_(of_target) {
        for (const TensorRelation& each : relations.found) {
            const size_t mine = of_target ? each.target : each.golden;
            const size_t theirs = of_target ? each.golden : each.target;
            related_[own_.tensors[mine].twin].insert(others_.tensors[theirs].twin);
        }
        for (size_t i = 0; i < own_.uses.size(); ++i)
            uses_[own_.uses[i].tensor].push_back(i);
    }

    void take_partners(const Plan& plan) {
        for (const OpPair& pair : plan.ops) {
            if (pair.target == nullptr || pair.golden == nullptr) continue;
            const SourceOp* mine = of_target_ ? pair.target : pair.golden;
            const SourceOp* theirs = of_target_ ? pair.golden : pair.target;
            partners_[mine] = theirs;
            for (const SourceOp* also : of_target_ ? pair.also_target : pair.also_golden)
                partners_.emplace(also, theirs);
        }
    }

    void add(const std::vector<size_t>& tensors, std::vector<OneSidedGiven>& found) const {
        for (const size_t tensor : tensors) {
            const auto uses = uses_.find(tensor);
            if (uses == uses_.end()) continue;
            for (const size_t use : uses->second)
                if (!add_behind_cast(own_.uses[use], tensors, found))
                    found.push_back(given(own_.uses[use], tensors));
        }
    }

  private:
    /// Where a cast that is seen through takes it in, what takes in the cast's result takes it.
    bool add_behind_cast(const TensorUse& use,
                         const std::vector<size_t>& one_sided,
                         std::vector<OneSidedGiven>& found) const {
        const SourceOp& op = source_.ops[use.op];
        if (partners_.contains(&op) || !is_cast(op.id.op)) return false;
        bool any = false;
        for (const size_t made : own_.out[use.op]) {
            const auto uses = uses_.find(made);
            if (uses == uses_.end()) continue;
            std::vector<size_t> with_it = one_sided;
            with_it.insert(std::ranges::upper_bound(with_it, made), made);
            for (const size_t behind : uses->second) {
                found.push_back(given(own_.uses[behind], with_it));
                found.back().tensor = use.tensor;
                any = true;
            }
        }
        return any;
    }

    [[nodiscard]] OneSidedGiven given(const TensorUse& use,
                                      const std::vector<size_t>& one_sided) const {
        const SourceOp& op = source_.ops[use.op];
        const auto found = partners_.find(&op);
        OneSidedGiven given{.of_target = of_target_,
                            .op = &op,
                            .partner = found == partners_.end() ? nullptr : found->second,
                            .argument = use.argument,
                            .path = use.path,
                            .shape = use.shape,
                            .tensor = use.tensor};
        try {
            const std::vector<SourceTensor> tensors = op.load();
            if (use.number < tensors.size()) given.dtype = tensors[use.number].dtype;
        } catch (const Error&) {
            // Told where the op is compared.
        }
        given.else_alike =
            given.partner != nullptr && is_else_alike(use.op, *given.partner, one_sided);
        return given;
    }

    [[nodiscard]] bool is_else_alike(size_t op,
                                     const SourceOp& partner,
                                     const std::vector<size_t>& one_sided) const {
        const auto place = static_cast<size_t>(&partner - other_.ops.data());
        std::set<size_t> theirs;
        for (const size_t each : others_.in[place])
            theirs.insert(others_.tensors[each].twin);
        const auto is_there = [&](size_t tensor) {
            const auto related = related_.find(own_.tensors[tensor].twin);
            return related != related_.end() &&
                   std::ranges::any_of(related->second,
                                       [&](size_t each) { return theirs.contains(each); });
        };
        bool any = false;
        for (const size_t tensor : own_.in[op]) {
            if (std::ranges::binary_search(one_sided, tensor)) continue;
            if (!is_there(tensor)) return false;
            any = true;
        }
        return any;
    }

    const Listing& own_;
    const Listing& others_;
    const Source& source_;
    const Source& other_;
    bool of_target_;
    std::unordered_map<size_t, std::set<size_t>> related_;  ///< by twins
    std::unordered_map<size_t, std::vector<size_t>> uses_;
    std::unordered_map<const SourceOp*, const SourceOp*> partners_;
};

}  // namespace

std::vector<OneSidedGiven> one_sided_givens(const Relations& relations,
                                            const Source& target,
                                            const Source& golden,
                                            const Plan& plan) {
    const OneSidedGivens nowhere = given_nowhere(relations, {.target = target, .golden = golden});
    std::vector<OneSidedGiven> found;
    for (const bool of_target : {true, false}) {
        OneSide side(
            relations, of_target ? target : golden, of_target ? golden : target, of_target);
        side.take_partners(plan);
        side.add(of_target ? nowhere.target : nowhere.golden, found);
    }
    return found;
}

}  // namespace npuscope::compare
