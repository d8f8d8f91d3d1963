#include "compare/align/take_ties.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compare/align/match_text.h"
#include "compare/compare.h"
#include "core/recording/joined.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

class TiedPlan {
  public:
    TiedPlan(const std::vector<TensorTie>& ties, Plan& plan) : plan_(plan) {
        for (const TensorTie& tie : ties) {
            if (tie.direction != Direction::kOutput) continue;
            of_target_[tie.target.op].push_back(&tie);
            if (is_claim(tie)) claimants_[tie.golden.op].insert(tie.target.op);
        }
    }

    void take() {
        std::vector<const SourceOp*> loose;
        for (OpPair& pair : plan_.ops)
            if (pair.target != nullptr) take_one(pair, loose);
        part_claimed();
        for (const OpPair& pair : plan_.ops)
            tied_targets_.insert(pair.also_target.begin(), pair.also_target.end());
        // A term of another op's sum is compared there, unless it has a partner of its own.
        std::erase_if(plan_.ops, [&](const OpPair& pair) {
            if (!pair.ties.empty() || !tied_targets_.contains(pair.target) ||
                agreed_.contains(pair.target))
                return false;
            if (pair.golden != nullptr) loose.push_back(pair.golden);
            return true;
        });
        for (const OpPair& pair : plan_.ops) {
            if (pair.target == nullptr) continue;
            if (pair.golden != nullptr) paired_.insert(pair.golden);
            paired_.insert(pair.also_golden.begin(), pair.also_golden.end());
        }
        std::erase_if(plan_.ops, [&](const OpPair& pair) {
            return pair.target == nullptr && paired_.contains(pair.golden);
        });
        for (const SourceOp* op : loose)
            if (paired_.insert(op).second) plan_.ops.push_back({nullptr, op});
        take_casts();
        renew_partings();
    }

  private:
    using Partners = std::unordered_map<const SourceOp*, const SourceOp*>;

    static bool is_claim(const TensorTie& tie) {
        return !tie.by_place && tie.kind != RelationKind::kSum;
    }

    /// Whether elements say that the golden op made what another target op did.
    [[nodiscard]] bool is_anothers(const OpPair& pair) const {
        const auto found = claimants_.find(pair.golden);
        return found != claimants_.end() && !found->second.contains(pair.target);
    }

    /// What the ties say of a target op; what the plan paired it with instead becomes `loose`.
    void take_one(OpPair& pair, std::vector<const SourceOp*>& loose) {
        const auto found = of_target_.find(pair.target);
        if (found == of_target_.end()) return;
        const std::vector<const TensorTie*>& ties = found->second;
        const bool agrees =
            pair.golden != nullptr && std::ranges::all_of(ties, [&](const auto* tie) {
                return (tie->golden.op == pair.golden && tie->is_plain()) ||
                       (tie->by_place && tie->kind != RelationKind::kPart && !is_anothers(pair));
            });
        if (agrees) {
            agreed_.insert(pair.target);
            return;
        }
        OpPair tied{.target = pair.target};
        tied.ties.reserve(ties.size());
        for (const TensorTie* tie : ties) {
            if (tied.golden == nullptr) tied.golden = tie->golden.op;
            const bool is_more =
                tie->golden.op != tied.golden &&
                std::ranges::find(tied.also_golden, tie->golden.op) == tied.also_golden.end();
            if (is_more) tied.also_golden.push_back(tie->golden.op);
            for (const TensorPlace& more : tie->more_target)
                if (more.op != tied.target) tied.also_target.push_back(more.op);
            for (const TensorPlace& more : tie->more_golden)
                if (more.op != tied.golden) tied.also_golden.push_back(more.op);
            tied.ties.push_back(*tie);
        }
        tied.match = match_text("relation", tied.target->id.op, tied.golden->id.op);
        if (pair.golden != nullptr && pair.golden != tied.golden) loose.push_back(pair.golden);
        pair = std::move(tied);
    }

    /// What another op's elements claim is no partner of what merely has its name.
    void part_claimed() {
        std::unordered_set<const SourceOp*> claimed;
        for (const OpPair& pair : plan_.ops)
            for (const TensorTie& tie : pair.ties)
                if (tie.direction == Direction::kOutput && is_claim(tie))
                    claimed.insert(tie.golden.op);
        for (OpPair& pair : plan_.ops)
            if (pair.target != nullptr && pair.ties.empty() && claimed.contains(pair.golden) &&
                !agreed_.contains(pair.target))
                pair = {.target = pair.target};
    }

    /// Copies and casts that turn out to be what the other side calls otherwise.
    void take_casts() {
        std::vector<OpPair> rest;
        for (OpPair& pair : plan_.casts) {
            if (pair.golden != nullptr && paired_.contains(pair.golden)) continue;
            std::vector<const SourceOp*> loose;
            if (pair.target != nullptr) take_one(pair, loose);
            if (pair.target != nullptr && pair.golden != nullptr) {
                paired_.insert(pair.golden);
                std::erase_if(plan_.ops, [&](const OpPair& each) {
                    return each.target == nullptr && each.golden == pair.golden;
                });
                plan_.ops.push_back(std::move(pair));
            } else {
                rest.push_back(std::move(pair));
            }
        }
        std::erase_if(rest, [&](const OpPair& pair) {
            return pair.target == nullptr && paired_.contains(pair.golden);
        });
        plan_.casts = std::move(rest);
    }

    /// Only what is without partner still, and all of it.
    void renew_partings() {
        std::unordered_set<const SourceOp*> alone;
        Partners others;
        for (const OpPair& pair : plan_.ops) {
            if (pair.target == nullptr || pair.golden == nullptr) {
                alone.insert(pair.target != nullptr ? pair.target : pair.golden);
            } else {
                others.emplace(pair.target, pair.golden);
                others.emplace(pair.golden, pair.target);
            }
        }
        const auto is_paired = [&](const SourceOp* op) { return !alone.contains(op); };
        for (Parting& parting : plan_.partings) {
            std::erase_if(parting.only_target, is_paired);
            std::erase_if(parting.only_golden, is_paired);
        }
        std::erase_if(plan_.partings, std::mem_fn(&Parting::is_empty));
        for (const Parting& parting : plan_.partings)
            for (const auto* list : {&parting.only_target, &parting.only_golden})
                for (const SourceOp* op : *list)
                    alone.erase(op);
        const Partners befores = ops_before();
        for (const OpPair& pair : plan_.ops) {
            const SourceOp* op = pair.target != nullptr ? pair.target : pair.golden;
            if (alone.contains(op))
                plan_.partings.push_back(parting_of(pair, befores.at(op), others));
        }
    }

    /// Of each op the one before it on the same rank, nullptr of the first. A recording's ops stand
    /// one behind the other; those of its ranks may stand among each other.
    [[nodiscard]] Partners ops_before() const {
        Partners befores;
        for (const bool of_target : {true, false}) {
            std::vector<const SourceOp*> ops;
            for (const auto* pairs : {&plan_.ops, &plan_.casts})
                for (const OpPair& pair : *pairs) {
                    const SourceOp* op = of_target ? pair.target : pair.golden;
                    if (op != nullptr) ops.push_back(op);
                    const auto& also = of_target ? pair.also_target : pair.also_golden;
                    ops.insert(ops.end(), also.begin(), also.end());
                }
            std::ranges::sort(ops, std::ranges::less());
            std::unordered_map<std::string_view, const SourceOp*> last;
            for (const SourceOp* op : ops) {
                const SourceOp*& before = last[rank_of_path(op->path)];
                if (before == op) continue;
                befores[op] = before;
                before = op;
            }
        }
        return befores;
    }

    /// Of the pair's only op.
    static Parting parting_of(const OpPair& pair,
                              const SourceOp* op_before,
                              const Partners& others) {
        const bool of_target = pair.target != nullptr;
        Parting parting;
        if (of_target)
            parting.only_target = {pair.target};
        else
            parting.only_golden = {pair.golden};
        if (const auto before = others.find(op_before); before != others.end()) {
            parting.before_target = of_target ? before->first : before->second;
            parting.before_golden = of_target ? before->second : before->first;
        }
        return parting;
    }

    Plan& plan_;
    std::unordered_map<const SourceOp*, std::vector<const TensorTie*>> of_target_;
    /// Of golden ops: target ops whose elements say that they made the same.
    std::unordered_map<const SourceOp*, std::unordered_set<const SourceOp*>> claimants_;
    std::unordered_set<const SourceOp*> paired_;
    std::unordered_set<const SourceOp*> tied_targets_;
    std::unordered_set<const SourceOp*> agreed_;  ///< of pairs that the ties do not change
};

/// Whether a chip's framework calls one op so that is several ops elsewhere, as fused attention.
bool is_several(std::string_view op) {
    return op.starts_with("npu_") || op.find("fusion") != std::string_view::npos ||
           op.find("fused") != std::string_view::npos ||
           op.find("dot_product") != std::string_view::npos;
}

}  // namespace

void take_ties(const std::vector<TensorTie>& ties, Plan& plan) {
    TiedPlan(ties, plan).take();
    // Casts became ops again: what was made before an op stands before it.
    std::ranges::stable_sort(plan.ops, [](const OpPair& one, const OpPair& other) {
        if (one.target == nullptr || other.target == nullptr)
            return one.target != nullptr && other.target == nullptr;
        return std::less()(one.target, other.target);
    });
}

bool stays_much_unpaired(const Plan& plan) {
    size_t alone = 0;
    size_t all = 0;
    for (const OpPair& pair : plan.ops) {
        const bool both = pair.target != nullptr && pair.golden != nullptr;
        if (!both && is_several(pair.target != nullptr ? pair.target->id.op : pair.golden->id.op))
            return true;
        alone += both ? 0 : 1;
        all += both ? 2 : 1;
    }
    return alone > AlignOptions::kFewUnpaired &&
           static_cast<double>(alone) > AlignOptions::kMostUnpaired * static_cast<double>(all);
}

}  // namespace npuscope::compare
