#include "compare/programs/spans.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/growth/goes_on.h"
#include "compare/growth/last_ops.h"
#include "compare/growth/left_state.h"
#include "compare/programs/extra_ops.h"
#include "compare/programs/given_vectors.h"
#include "compare/programs/judged_alone.h"
#include "compare/programs/mark_span.h"
#include "compare/programs/one_sided_ops.h"
#include "compare/programs/op_findings.h"
#include "compare/random_ops.h"
#include "compare/relate/kinship.h"
#include "compare/rules/rule.h"
#include "core/base/error.h"
#include "core/naming/padding_ops.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Pairs of ops between what one side has more and what the other has instead.
constexpr size_t kNear = 8;

class Spans {
  public:
    Spans(Plan& plan, const Traced& traced, const Splitter& splitter, Result& result)
        : plan_(plan),
          traced_(traced),
          splitter_(splitter),
          result_(result),
          places_(places_of(plan)),
          one_sided_(plan, *traced.flows, places_) {}

    /// What ops made that is tied to nothing is judged by itself; what is honest is not told of.
    void judge_untied() {
        judge_each([](const OpPair& pair, const OpResult&) { return !pair.ties.empty(); });
    }
    /// The same of ops that the target alone has and nobody judged. One number that left the range
    /// is a scaled loss.
    void judge_rest() {
        judge_each([](const OpPair& pair, const OpResult& op) {
            return pair.golden == nullptr && op.tensors.empty();
        });
    }

    void take() {
        const GoesOn goes_on(*traced_.flows);
        const LastOps last(*traced_.flows);
        std::unordered_set<const SourceOp*> ends;
        for (const Parting& parting : plan_.partings)
            if (one_sided_.ends_before_gradients(parting) && !last.has(parting))
                ends.insert(&parting.first());
        std::erase_if(plan_.partings, [&](const Parting& parting) {
            const bool is_nothing =
                one_sided_.change_nothing(parting) || ends.contains(&parting.first());
            if (!is_nothing || goes_on.has(parting) || is_taken_in(splitter_, parting))
                return false;
            mark(parting, ends_of(parting.only_target, parting.only_golden));
            return true;
        });
        const LeftState left(*traced_.flows);
        if (are_all_spans()) {
            std::erase_if(plan_.partings, [&](const Parting& parting) {
                if (left.has(parting) || (plan_.is_related && last.has(parting)) ||
                    goes_on.has(parting))
                    return false;
                (void)judge(parting);
                mark(parting, ends_of(parting.only_target, parting.only_golden));
                return true;
            });
            return;
        }
        take_complements();
        std::erase_if(plan_.partings, [&](const Parting& parting) {
            const bool both = !parting.only_target.empty() && !parting.only_golden.empty();
            const bool may_be_span = both || are_in_others(parting) || only_pads(parting);
            if (left.has(parting) || goes_on.has(parting)) return false;
            if (may_be_span && is_span(parting)) return true;
            if (!plan_.is_related) return false;
            return (!may_be_span && has_fault(parting)) || ends_in_fault(parting);
        });
    }

  private:
    /// The worst that came in, and that is given on.
    struct Ends {
        double entry = 0;
        std::optional<double> exit{};
        double tolerance = 0;

        void give_on(const TensorResult& tensor) {
            exit = std::max(exit.value_or(0), relative_error(tensor));
            tolerance = std::max(tolerance, tensor.judgement.bound.tolerance);
        }
    };

    [[nodiscard]] Ends ends_of(const std::vector<const SourceOp*>& targets,
                               const std::vector<const SourceOp*>& goldens) const {
        Ends ends;
        look_at(traced_.flows->target(), targets, true, ends);
        look_at(traced_.flows->golden(), goldens, false, ends);
        return ends;
    }

    /// What one side has more here and the other just behind may be one span, in which an op that
    /// both have ran earlier or later.
    void take_complements() {
        std::vector<Parting>& all = plan_.partings;
        size_t i = 0;
        while (i + 1 < all.size()) {
            const Parting& one = all[i];
            const Parting& other = all[i + 1];
            const bool are_complements = one.only_target.empty() != other.only_target.empty() &&
                                         one.only_golden.empty() != other.only_golden.empty() &&
                                         are_near(one, other);
            Parting both = one.only_target.empty() ? other : one;
            both.only_golden = (one.only_target.empty() ? one : other).only_golden;
            if (!are_complements || !is_span(both)) {
                ++i;
                continue;
            }
            const auto first = all.begin() + static_cast<ptrdiff_t>(i);
            all.erase(first, first + 2);
        }
    }

    /// Where a parting stands among the pairs; empty of one at the begin.
    [[nodiscard]] std::optional<size_t> place_of(const Parting& parting) const {
        const SourceOp* op =
            parting.only_target.empty() ? parting.before_target : parting.only_target.front();
        const auto place = places_.find(op);
        return place == places_.end() ? std::nullopt : std::optional(place->second);
    }

    [[nodiscard]] bool are_near(const Parting& one, const Parting& other) const {
        const auto first = place_of(one);
        const auto second = place_of(other);
        return first && second && std::max(*first, *second) - std::min(*first, *second) <= kNear;
    }

    /// Both sides have ops of their own, here and there (the steps of an LSTM, say), and nothing
    /// that comes out of any is farther off than rounding makes.
    [[nodiscard]] bool are_all_spans() const {
        std::vector<const SourceOp*> targets;
        std::vector<const SourceOp*> goldens;
        for (const Parting& parting : plan_.partings) {
            targets.insert(targets.end(), parting.only_target.begin(), parting.only_target.end());
            goldens.insert(goldens.end(), parting.only_golden.begin(), parting.only_golden.end());
        }
        if (targets.empty() || goldens.empty() || !take_the_same(targets, goldens)) return false;
        const Ends ends = ends_of(targets, goldens);
        return ends.exit && *ends.exit <= std::max(kAgreement, ends.tolerance);
    }

    /// Whether all that takes in what these ops make is paired, by what it makes, with an op of
    /// another kind, which then computes all of it: a batch norm and the convolution that it is
    /// folded into.
    [[nodiscard]] bool are_in_others(const Parting& parting) const {
        if (!plan_.is_related) return false;
        return are_in_others(traced_.flows->target(), parting.only_target) &&
               are_in_others(traced_.flows->golden(), parting.only_golden);
    }

    [[nodiscard]] bool are_in_others(const Side& side,
                                     const std::vector<const SourceOp*>& ops) const {
        std::unordered_set<size_t> inside;
        for (const SourceOp* op : ops)
            inside.insert(static_cast<size_t>(op - side.source.ops.data()));
        return std::ranges::all_of(side.flow.tensors, [&](const TracedTensor& tensor) {
            if (tensor.direction != Direction::kInput || !tensor.producer ||
                inside.contains(tensor.op) ||
                !inside.contains(side.flow.tensors[*tensor.producer].op))
                return true;
            const auto place = places_.find(&side.source.ops[tensor.op]);
            return place != places_.end() && are_of_two_kinds(plan_.ops[place->second]);
        });
    }

    /// Ops of one side that put zeros behind what they are given, or take them off.
    static bool only_pads(const Parting& parting) {
        const auto pads = [](const SourceOp* op) { return may_pad(op->id.op); };
        return std::ranges::all_of(parting.only_target, pads) &&
               std::ranges::all_of(parting.only_golden, pads);
    }

    bool is_span(const Parting& parting) {
        if (!take_the_same(parting.only_target, parting.only_golden)) return false;
        const Ends ends = ends_of(parting.only_target, parting.only_golden);
        const bool any_at_fault = judge(parting);
        const double allowed = std::max({kChainGrowth * ends.entry, kAgreement, ends.tolerance});
        const bool ends_well = ends.exit ? *ends.exit <= allowed : only_pads(parting);
        if (!any_at_fault && !is_by_chance(parting) && !ends_well) {
            forget(parting);
            return false;
        }
        mark(parting, ends);
        return true;
    }

    /// A dropout or its gradient, and the steps that it is made of: what comes out is left to
    /// chance.
    static bool is_by_chance(const Parting& parting) {
        const auto scales = [](const SourceOp* op) {
            return step_of(op->op()) == OpStep::kScaling;
        };
        const auto is_made_of_steps = [&](const std::vector<const SourceOp*>& ops) {
            return may_be_random(ops) || std::ranges::all_of(ops, scales);
        };
        return (may_be_random(parting.only_target) && is_made_of_steps(parting.only_golden)) ||
               (may_be_random(parting.only_golden) && is_made_of_steps(parting.only_target));
    }

    /// Whether an op of the target is at fault by itself, inside of what the other side computes in
    /// ops that have partners: a step of an LSTM.
    bool has_fault(const Parting& parting) {
        if (!judge(parting)) {
            forget(parting);
            return false;
        }
        mark(parting, ends_of(parting.only_target, parting.only_golden));
        return true;
    }

    /// Whether an op that takes in what the golden's made is at fault by itself: then that is told,
    /// and what it stands for here computes the same.
    bool ends_in_fault(const Parting& parting) {
        const Side& golden = traced_.flows->golden();
        const bool is_fault =
            parting.only_target.empty() &&
            std::ranges::any_of(golden.flow.tensors, [&](const TracedTensor& tensor) {
                if (tensor.direction != Direction::kInput || !tensor.producer) return false;
                const SourceOp* maker = &golden.source.ops[golden.tensor(*tensor.producer).op];
                if (std::ranges::count(parting.only_golden, maker) == 0) return false;
                const auto place = places_.find(&golden.source.ops[tensor.op]);
                return place != places_.end() && is_at_fault_itself(result_.ops[place->second]);
            });
        if (is_fault) mark(parting, ends_of(parting.only_target, parting.only_golden));
        return is_fault;
    }

    /// A bias that one side alone adds is no other way to compute the same.
    [[nodiscard]] bool take_the_same(const std::vector<const SourceOp*>& targets,
                                     const std::vector<const SourceOp*>& goldens) const {
        if (plan_.is_related) return !are_given_else(targets) && !are_given_else(goldens);
        const auto rows = [](const Side& side, const std::vector<const SourceOp*>& ops) {
            const std::vector<int64_t> each = given_vectors(side, ops);
            return std::accumulate(each.begin(), each.end(), int64_t{0});
        };
        return rows(traced_.flows->target(), targets) == rows(traced_.flows->golden(), goldens);
    }

    /// Whether any takes in a vector that the other side has nowhere.
    [[nodiscard]] bool are_given_else(const std::vector<const SourceOp*>& ops) const {
        return std::ranges::any_of(plan_.one_sided, [&](const OneSidedGiven& given) {
            return std::ranges::find(ops, given.op) != ops.end() && given.is_vector();
        });
    }

    /// Both ends of the ops of one side.
    void look_at(const Side& side,
                 const std::vector<const SourceOp*>& ops,
                 bool of_target,
                 Ends& ends) const {
        std::unordered_set<size_t> inside;
        for (const SourceOp* op : ops)
            inside.insert(static_cast<size_t>(op - side.source.ops.data()));
        for (const TracedTensor& tensor : side.flow.tensors) {
            if (tensor.direction != Direction::kInput || !tensor.producer) continue;
            const size_t producer = side.flow.tensors[*tensor.producer].op;
            const bool comes_in = inside.contains(tensor.op) && !inside.contains(producer);
            const bool goes_on = !inside.contains(tensor.op) && inside.contains(producer);
            if (!comes_in && !goes_on) continue;
            const auto place = places_.find(&side.source.ops[comes_in ? producer : tensor.op]);
            if (place == places_.end()) continue;
            const bool ends_here = goes_on && are_of_two_kinds(plan_.ops[place->second]);
            for (const TensorResult& result : result_.ops[place->second].tensors) {
                if (result.metrics.empty()) continue;
                if (ends_here && result.direction == Direction::kOutput) ends.give_on(result);
                if (comes_in && result.direction == Direction::kOutput)
                    ends.entry = std::max(ends.entry, relative_error(result));
                if (goes_on && (of_target ? result.target : result.golden) == tensor.path)
                    ends.give_on(result);
            }
        }
    }

    /// Judges the target's ops by themselves; whether one of them is at fault.
    bool judge(const Parting& parting) {
        bool any = false;
        for (const SourceOp* op : parting.only_target) {
            const size_t place = places_.at(op);
            OpResult& result = result_.ops[place];
            try {
                any = judge_op(plan_.ops[place], result) || any;
            } catch (const Error&) {
                result.tensors.clear();
            }
        }
        return any;
    }

    template <class Which>
    void judge_each(const Which& which) {
        for (size_t place = 0; place < plan_.ops.size(); ++place) {
            const OpPair& pair = plan_.ops[place];
            if (!which(pair, result_.ops[place])) continue;
            OpResult untied;
            try {
                if (!judge_op(pair, untied)) continue;
            } catch (const Error&) {
                continue;
            }
            std::erase_if(untied.tensors, [&](const TensorResult& tensor) {
                return !is_finding(tensor.judgement.verdict) ||
                       (pair.golden == nullptr && tensor.sums.numel == 1 &&
                        std::isinf(tensor.split->target->ratio));
            });
            if (untied.tensors.empty()) continue;
            OpResult& op = result_.ops[place];
            std::ranges::move(untied.tensors, std::back_inserter(op.tensors));
            conclude(op, result_.allow_golden_at_fault);
        }
    }

    static bool is_tied(const OpPair& pair, const SourceTensor& tensor) {
        return std::ranges::any_of(pair.ties, [&](const TensorTie& tie) {
            return tie.direction == tensor.direction && tie.target.path == tensor.path;
        });
    }

    bool judge_op(const OpPair& pair, OpResult& op) const {
        bool any = false;
        for (auto& [recorded, split] : judged_alone(
                 splitter_, pair, [&](const SourceTensor& each) { return !is_tied(pair, each); })) {
            if (!split.target) continue;
            TensorResult tensor;
            tensor.argument = recorded.argument;
            tensor.target = recorded.path;
            tensor.dtype = recorded.dtype;
            tensor.shape = recorded.shape;
            tensor.judgement = {Verdict::kPass, "honest on its own inputs"};
            tensor.sums.numel = split.target->numel;
            const bool is_wrong = split.target->ratio > 1;
            if (is_wrong)
                tensor.judgement = compare::judge(
                    {.sums = tensor.sums, .bound = tensor.judgement.bound, .split = &split});
            any = any || is_wrong;
            tensor.split = std::move(split);
            op.tensors.push_back(std::move(tensor));
        }
        return any;
    }

    void forget(const Parting& parting) {
        for (const SourceOp* op : parting.only_target)
            result_.ops[places_.at(op)].tensors.clear();
    }

    void mark(const Parting& parting, const Ends& ends) {
        mark_span(parting, ends.entry, ends.exit, places_, result_);
    }

    Plan& plan_;
    const Traced& traced_;
    const Splitter& splitter_;
    Result& result_;
    std::unordered_map<const SourceOp*, size_t> places_;
    OneSidedOps one_sided_;
};

}  // namespace

void take_spans(Plan& plan, const Traced& traced, const Splitter& splitter, Result& result) {
    if (!traced.flows) return;
    Spans spans(plan, traced, splitter, result);
    spans.judge_untied();
    if (!plan.partings.empty()) spans.take();
    spans.judge_rest();
}

}  // namespace npuscope::compare
