#include "compare/align/align.h"

#include <utility>

#include "compare/align/across.h"
#include "compare/align/evidence.h"
#include "compare/align/loosen.h"
#include "compare/align/match_text.h"
#include "compare/align/pair_evidence.h"
#include "compare/align/pairing.h"
#include "compare/align/sequence.h"
#include "compare/align/slide.h"
#include "compare/align/steps.h"
#include "compare/align/traits.h"
#include "compare/align/untwist.h"

namespace npuscope::compare {

namespace {

class RunAligner {
  public:
    RunAligner(const Source& target, const Source& golden)
        : target_(target),
          golden_(golden),
          traits_(read_traits(target, golden)),
          evidence_(target, golden),
          pairing_(target.ops.size(), golden.ops.size()),
          also_target_(target.ops.size(), -1),
          also_golden_(golden.ops.size(), -1) {}

    Plan plan() {
        pair_steps();
        pair_within_gaps();
        PairEvidence evidence(evidence_, pairing_);
        // Further away there may be one whose elements agree.
        loosen_misfits(traits_, evidence, NextTo::kAlike, pairing_);
        pair_across(traits_, evidence, pairing_);
        untwist(traits_, evidence, pairing_);
        loosen_misfits(traits_, evidence, NextTo::kWhatever, pairing_);
        pair_across(traits_, evidence, pairing_);
        Plan plan;
        add_pairs(plan);
        add_partings(plan);
        return plan;
    }

  private:
    void pair_steps() {
        const std::vector<Step> mine = steps_of(traits_, traits_.target);
        const std::vector<Step> theirs = steps_of(traits_, traits_.golden);
        std::vector<int32_t> partners = align_sequences(traits_in(mine), traits_in(theirs));
        slide_runs(partners, mine, theirs, evidence_);
        for (size_t i = 0; i < mine.size(); ++i)
            if (partners[i] >= 0) join(mine[i], theirs[static_cast<size_t>(partners[i])]);
    }

    void join(const Step& mine, const Step& theirs) {
        if (mine.is_fused() == theirs.is_fused()) {
            pairing_.join(mine.first, theirs.first);
            if (mine.is_fused()) pairing_.join(mine.last, theirs.last);
            return;
        }
        if (is_product_alone(mine, theirs)) {
            pairing_.join(mine.first, theirs.first);
            return;
        }
        pairing_.join(mine.last, theirs.last);
        if (mine.is_fused()) {
            pairing_.target[mine.first] = kPartOfSpan;
            also_target_[mine.last] = static_cast<int32_t>(mine.first);
        } else {
            pairing_.golden[theirs.first] = kPartOfSpan;
            also_golden_[theirs.last] = static_cast<int32_t>(theirs.first);
        }
    }

    /// One side adds a bias that the other's convolution lacks.
    [[nodiscard]] bool is_product_alone(const Step& mine, const Step& theirs) const {
        const OpTraits& one = traits_.target.ops[mine.first];
        const OpTraits& other = traits_.golden.ops[theirs.first];
        return one.name == other.name && traits_.target.inputs[mine.first].size() ==
                                             traits_.golden.inputs[theirs.first].size();
    }

    static std::vector<OpTraits> traits_in(const std::vector<Step>& steps) {
        std::vector<OpTraits> traits;
        traits.reserve(steps.size());
        for (const Step& step : steps)
            traits.push_back(step.traits);
        return traits;
    }

    /// Indices of the ops in a range that have no partner.
    static std::vector<size_t> free_in(const std::vector<int32_t>& partners,
                                       size_t first,
                                       size_t last) {
        std::vector<size_t> free;
        for (size_t i = first; i < last; ++i)
            if (partners[i] == kNoPartner) free.push_back(i);
        return free;
    }

    /// Copies and casts, and the ops of steps that found no partner as a whole.
    void pair_within_gaps() {
        for (const Gap& gap : gaps_of(pairing_)) {
            if (gap.first_target == gap.last_target || gap.first_golden == gap.last_golden)
                continue;
            const auto mine = free_in(pairing_.target, gap.first_target, gap.last_target);
            const auto theirs = free_in(pairing_.golden, gap.first_golden, gap.last_golden);
            const std::vector<int32_t> partners =
                align_sequences(traits_of(traits_.target, mine), traits_of(traits_.golden, theirs));
            for (size_t i = 0; i < mine.size(); ++i)
                if (partners[i] >= 0)
                    pairing_.join(mine[i], theirs[static_cast<size_t>(partners[i])]);
        }
    }

    static std::vector<OpTraits> traits_of(const SideTraits& side, const std::vector<size_t>& ops) {
        std::vector<OpTraits> traits;
        traits.reserve(ops.size());
        for (const size_t op : ops)
            traits.push_back(side.ops[op]);
        return traits;
    }

    void add_pairs(Plan& plan) const {
        for (size_t i = 0; i < target_.ops.size(); ++i) {
            const int32_t partner = pairing_.target[i];
            if (partner >= 0) {
                plan.ops.push_back(pair_of(i, static_cast<size_t>(partner)));
            } else if (partner == kNoPartner) {
                if (traits_.target.ops[i].is_cast) {
                    plan.casts.push_back({&target_.ops[i], nullptr});
                } else {
                    plan.ops.push_back({&target_.ops[i], nullptr});
                }
            }
        }
        for (size_t i = 0; i < golden_.ops.size(); ++i) {
            if (pairing_.golden[i] != kNoPartner) continue;
            auto& list = traits_.golden.ops[i].is_cast ? plan.casts : plan.ops;
            list.push_back({nullptr, &golden_.ops[i]});
        }
    }

    [[nodiscard]] OpPair pair_of(size_t mine, size_t theirs) const {
        const SourceOp& target = target_.ops[mine];
        const SourceOp& golden = golden_.ops[theirs];
        OpPair pair{&target, &golden};
        const OpTraits& traits = traits_.target.ops[mine];
        const OpTraits& other = traits_.golden.ops[theirs];
        if (also_target_[mine] >= 0) {
            pair.also_target = {&target_.ops[static_cast<size_t>(also_target_[mine])]};
            pair.match = "name, " + pair.also_target[0]->id.op + " + " + target.id.op + " as " +
                         golden.id.op;
        } else if (also_golden_[theirs] >= 0) {
            pair.also_golden = {&golden_.ops[static_cast<size_t>(also_golden_[theirs])]};
            pair.match = "name, " + target.id.op + " as " + pair.also_golden[0]->id.op + " + " +
                         golden.id.op;
        } else {
            pair.match = match_text("name", target.id.op, golden.id.op);
            pair.shapes_differ = traits.output != other.output;
            pair.inputs_differ = !pair.shapes_differ && traits.inputs != other.inputs;
        }
        return pair;
    }

    void add_partings(Plan& plan) const {
        for (const Gap& gap : gaps_of(pairing_)) {
            Parting parting;
            for (const size_t op : free_in(pairing_.target, gap.first_target, gap.last_target))
                if (!traits_.target.ops[op].is_cast)
                    parting.only_target.push_back(&target_.ops[op]);
            for (const size_t op : free_in(pairing_.golden, gap.first_golden, gap.last_golden))
                if (!traits_.golden.ops[op].is_cast)
                    parting.only_golden.push_back(&golden_.ops[op]);
            if (parting.is_empty()) continue;
            if (gap.first_target > 0) {
                parting.before_target = &target_.ops[gap.first_target - 1];
                parting.before_golden = &golden_.ops[gap.first_golden - 1];
            }
            plan.partings.push_back(std::move(parting));
        }
    }

    const Source& target_;
    const Source& golden_;
    BothTraits traits_;
    ElementEvidence evidence_;
    Pairing pairing_;
    std::vector<int32_t> also_target_;  ///< by a span's last op its first
    std::vector<int32_t> also_golden_;
};

}  // namespace

Plan align_runs(const Source& target, const Source& golden) {
    return RunAligner(target, golden).plan();
}

}  // namespace npuscope::compare
