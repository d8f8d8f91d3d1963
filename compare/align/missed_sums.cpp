#include "compare/align/missed_sums.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/recording/joined.h"

namespace npuscope::compare {

namespace {

/// By op of one side its partner on the other.
using PartnersOfOps = std::unordered_map<size_t, size_t>;

bool is_one_to_one(const TensorRelation& relation) {
    return relation.kind != RelationKind::kPart && relation.kind != RelationKind::kSum;
}

class MissedSums {
  public:
    MissedSums(const Source& target,
               const Source& golden,
               const Plan& plan,
               const Relations& relations)
        : target_(target), golden_(golden), relations_(relations) {
        take_related(false);
        for (const OpPair& pair : plan.ops)
            if (pair.target != nullptr && pair.golden != nullptr)
                join(static_cast<size_t>(pair.target - target.ops.data()),
                     static_cast<size_t>(pair.golden - golden.ops.data()));
        take_related(true);
    }

    [[nodiscard]] bool is_missed(const TensorRelation& sum) const {
        const bool is_of_target = !sum.more_target.empty();
        std::vector<size_t> terms = is_of_target ? sum.more_target : sum.more_golden;
        if (sum.kind != RelationKind::kSum || terms.empty()) return false;
        terms.push_back(is_of_target ? sum.target : sum.golden);
        const size_t whole = is_of_target ? sum.golden : sum.target;
        if (are_of_several_ranks(is_of_target, terms)) return false;
        for (const size_t op : takers_of(whole, !is_of_target)) {
            const size_t taken = terms_taken_by(op, terms, is_of_target);
            if (taken > 0) return taken < terms.size();
        }
        return is_made_of_partners(whole, terms, is_of_target);
    }

  private:
    void take_related(bool by_place) {
        for (const TensorRelation& each : relations_.found) {
            const ListedTensor& mine = relations_.target.tensors[each.target];
            const ListedTensor& theirs = relations_.golden.tensors[each.golden];
            if (is_one_to_one(each) && each.by_place == by_place && !mine.is_given() &&
                !theirs.is_given())
                join(mine.op, theirs.op);
        }
    }

    /// The first word on an op counts.
    void join(size_t mine, size_t theirs) {
        if (of_target_.contains(mine) || of_golden_.contains(theirs)) return;
        of_target_.emplace(mine, theirs);
        of_golden_.emplace(theirs, mine);
    }

    [[nodiscard]] const Listing& listing(bool of_target) const {
        return of_target ? relations_.target : relations_.golden;
    }
    [[nodiscard]] const PartnersOfOps& partners(bool of_target) const {
        return of_target ? of_target_ : of_golden_;
    }

    [[nodiscard]] bool are_of_several_ranks(bool of_target,
                                            const std::vector<size_t>& terms) const {
        const Source& source = of_target ? target_ : golden_;
        const auto rank_of = [&](size_t term) {
            return rank_of_path(source.ops[listing(of_target).tensors[term].op].path);
        };
        return std::ranges::any_of(
            terms, [&](size_t term) { return rank_of(term) != rank_of(terms.front()); });
    }

    /// The partners of the ops that take the tensor in, through ops that have none, in the order of
    /// its own side.
    [[nodiscard]] std::vector<size_t> takers_of(size_t tensor, bool of_target) const {
        const Listing& own = listing(of_target);
        std::set<size_t> open;  // the earliest first
        for (const ListedTensor& each : own.tensors)
            if (each.twin == own.tensors[tensor].twin)
                open.insert(each.users.begin(), each.users.end());
        std::vector<size_t> takers;
        std::unordered_set<size_t> seen{own.tensors[tensor].op};
        while (!open.empty()) {
            const size_t op = *open.begin();
            open.erase(open.begin());
            if (!seen.insert(op).second) continue;
            if (const auto partner = partners(of_target).find(op);
                partner != partners(of_target).end()) {
                takers.push_back(partner->second);
                continue;
            }
            for (const size_t result : own.out[op])
                open.insert(own.tensors[result].users.begin(), own.tensors[result].users.end());
        }
        return takers;
    }

    /// How many of the terms the op takes in, through ops without partner.
    [[nodiscard]] size_t terms_taken_by(size_t taker,
                                        const std::vector<size_t>& terms,
                                        bool of_target) const {
        const Listing& own = listing(of_target);
        std::set<size_t> taken;
        std::vector<size_t> open{taker};
        std::unordered_set<size_t> seen{taker};
        while (!open.empty()) {
            const size_t op = open.back();
            open.pop_back();
            for (const size_t input : own.in[op]) {
                const ListedTensor& tensor = own.tensors[input];
                const auto term = std::ranges::find(
                    terms, tensor.twin, [&](size_t each) { return own.tensors[each].twin; });
                if (term != terms.end()) {
                    taken.insert(*term);
                } else if (!tensor.is_given() && !partners(of_target).contains(tensor.op) &&
                           seen.insert(tensor.op).second) {
                    open.push_back(tensor.op);
                }
            }
        }
        return taken.size();
    }

    /// Whether the op that made the whole takes in the partners of all terms.
    [[nodiscard]] bool is_made_of_partners(size_t whole,
                                           const std::vector<size_t>& terms,
                                           bool terms_of_target) const {
        const Listing& own = listing(!terms_of_target);
        if (own.tensors[whole].is_given()) return false;
        const std::vector<size_t>& inputs = own.in[own.tensors[whole].op];
        return std::ranges::all_of(terms, [&](size_t term) {
            const auto known =
                std::ranges::find_if(relations_.found, [&](const TensorRelation& each) {
                    return is_one_to_one(each) &&
                           (terms_of_target ? each.target : each.golden) == term;
                });
            if (known == relations_.found.end()) return false;
            const size_t partner = terms_of_target ? known->golden : known->target;
            return std::ranges::any_of(inputs, [&](size_t input) {
                return own.tensors[input].twin == own.tensors[partner].twin;
            });
        });
    }

    const Source& target_;
    const Source& golden_;
    const Relations& relations_;
    PartnersOfOps of_target_{};
    PartnersOfOps of_golden_{};
};

}  // namespace

void forget_missed_sums(const Source& target,
                        const Source& golden,
                        const Plan& plan,
                        Relations& relations) {
    const auto is_sum = [](const TensorRelation& each) { return each.kind == RelationKind::kSum; };
    if (std::ranges::none_of(relations.found, is_sum)) return;
    const MissedSums sums(target, golden, plan, relations);
    std::vector<TensorRelation> kept;
    for (const TensorRelation& each : relations.found)
        if (!sums.is_missed(each)) kept.push_back(each);
    relations.found = std::move(kept);
}

}  // namespace npuscope::compare
