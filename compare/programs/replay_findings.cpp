#include "compare/programs/replay_findings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/growth/goes_on.h"
#include "compare/growth/left_state.h"
#include "compare/growth/little_scaling.h"
#include "compare/programs/extra_ops.h"
#include "compare/programs/given_vectors.h"
#include "compare/programs/made_good.h"
#include "compare/programs/mark_span.h"
#include "compare/programs/op_findings.h"
#include "compare/programs/replay_causes.h"
#include "compare/programs/replay_text.h"
#include "compare/relate/kinship.h"
#include "core/naming/moving_statistics.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm: given numbers that are so near to the golden's are those that the replay takes in.
constexpr double kNearGiven = 0.1;
/// States that the target has nowhere are few beside those that are alike.
constexpr size_t kFewMissing = 4;
/// Of the results that can be computed, so small a part may be of ops that cannot.
constexpr size_t kFewNotComputed = 5;

class ByReplay {
  public:
    ByReplay(const Splitter& splitter, const PairedFlows& flows, Plan& plan, Result& result)
        : splitter_(splitter),
          flows_(flows),
          plan_(plan),
          result_(result),
          places_(places_of(plan)) {}

    [[nodiscard]] bool is_asked() const {
        return plan_.is_related || !plan_.partings.empty() || !plan_.casts.empty() ||
               !result_.spans.empty() || std::ranges::any_of(result_.ops, [](const OpResult& op) {
                   return is_of_programs(op) && !is_called_otherwise(op);
               });
    }

    void judge(const Replay& replay) {
        replay_ = &replay;
        if (replay.not_computed * kFewNotComputed > replay.computed) return;
        // What was taken on trust for the most part proves nothing.
        if (replay.unproven > replay.held) return;
        forget_explained(replay);
        if (replay.first_apart) {
            accuse(replay);
        } else if (replay.ends.alike > replay.ends.missing && replay.states.missing == 0) {
            forget([](size_t) { return true; });
        } else {
            accuse_missing(replay);
        }
    }

  private:
    /// What a replay cannot tell: of ops that were paired by their names, or that make an end that
    /// is apart, or something else of the same that nothing behind them makes good (where
    /// arithmetic is coarse, or nothing was held against it, whatever it seems to make), that one
    /// is called with other numbers; a cast that is at fault; an op that nobody can compute.
    [[nodiscard]] bool is_sure(size_t place) const {
        const OpPair& pair = plan_.ops[place];
        const OpResult& op = result_.ops[place];
        const bool takes_in_the_same =
            std::ranges::none_of(op.tensors, [](const TensorResult& tensor) {
                return tensor.direction == Direction::kInput &&
                       is_finding(tensor.judgement.verdict);
            });
        const bool is_unknown = pair.target != nullptr && pair.golden != nullptr &&
                                replay_->unknown.contains(pair.golden);
        const bool is_apart =
            replay_->apart.contains(pair.golden) ||
            (pair.golden != nullptr && moves_statistics(pair.golden->id.op)) ||
            ((replay_->unlike.contains(pair.golden) || !replay_->off.contains(pair.golden) ||
              !replay_->is_fine) &&
             !replay_->made_good.contains(pair.golden) && take_in_partners(flows_, pair));
        return is_unknown || !pair.fault.empty() ||
               ((!plan_.is_related || is_apart) && is_called_otherwise(op) && takes_in_the_same);
    }
    /// Of a target that tells no inputs: what its op took in was a guess, and all that is made of
    /// it is what the golden's program makes.
    [[nodiscard]] bool is_made_good(size_t place) const {
        return !flows_.target().source.may_have_inputs() &&
               is_finding(result_.ops[place].judgement.verdict) &&
               replay_->made_good.contains(plan_.ops[place].golden);
    }
    /// Of a pair of ops: the golden's alone has a bias.
    [[nodiscard]] bool lacks_its_bias(size_t place) const {
        const OpPair& pair = plan_.ops[place];
        return pair.target != nullptr && pair.golden != nullptr &&
               lacks_bias(plan_, flows_, {pair.target}, {pair.golden});
    }
    /// Of a parting of one side: all that takes in what its ops make is what the golden's makes.
    [[nodiscard]] bool is_made_good(const Parting& parting) const {
        if (parting.only_golden.empty() &&
            are_scalings_made_good(
                flows_, parting.only_target, places_, [&](const SourceOp& golden) {
                    return replay_->made_good.contains(&golden) || !is_off(&golden);
                }))
            return true;
        return std::ranges::all_of(parting.only_target,
                                   [&](const SourceOp* op) {
                                       return step_of(op->op()) == OpStep::kScaling &&
                                              splitter_.taker_of(*op) != nullptr;
                                   }) &&
               !changes_its_taker(parting) &&
               std::ranges::all_of(parting.only_golden, [&](const SourceOp* op) {
                   return replay_->made_good.contains(op);
               });
    }
    /// Of a parting of the target alone: steps of what one op of the golden computes, or of single
    /// numbers, which show in all that is made by them.
    [[nodiscard]] bool is_explained(const Parting& parting) const {
        const auto makes_numbers = [&](const SourceOp* op) {
            const TracedTensor* made = only_result(flows_.target(), *op);
            return made != nullptr && made->content->numel == 1;
        };
        return parting.only_golden.empty() &&
               std::ranges::all_of(parting.only_target, [&](const SourceOp* op) {
                   return replay_->explained.contains(op) || makes_numbers(op);
               });
    }
    /// Whether another op of the target takes in what one of the parting makes, and makes something
    /// else of it than the golden's program does.
    [[nodiscard]] bool changes_its_taker(const Parting& parting) const {
        return std::ranges::any_of(parting.only_target, [&](const SourceOp* op) {
            const SourceOp* taker = splitter_.taker_of(*op);
            if (taker == nullptr) return false;
            return is_off(plan_.ops[places_.at(taker)].golden);
        });
    }
    /// Or nobody knows.
    [[nodiscard]] bool is_off(const SourceOp* golden) const {
        const auto off = replay_->off.find(golden);
        return off == replay_->off.end() || off->second > kMadeGood;
    }
    /// Whether an op that takes in what the golden's ops make there gives something else in the
    /// target: the ends may agree all the same, as where a softmax or an optimizer levels it.
    [[nodiscard]] bool is_felt_behind(const Parting& parting) const {
        const Side& golden = flows_.golden();
        return std::ranges::any_of(golden.flow.tensors, [&](const TracedTensor& tensor) {
            if (tensor.direction != Direction::kInput || !tensor.producer || tensor.ambiguous)
                return false;
            const SourceOp* maker = &golden.source.ops[golden.tensor(*tensor.producer).op];
            return std::ranges::find(parting.only_golden, maker) != parting.only_golden.end() &&
                   replay_->unlike.contains(&golden.source.ops[tensor.op]);
        });
    }
    /// Ops of the partings that leave behind what the golden's program does not tell.
    [[nodiscard]] std::unordered_set<size_t> left_behind() const;
    /// Forgets what is told of programs at these places.
    template <class Which>
    void forget(const Which& which);
    template <class Which>
    void forget_partings(const Which& which);
    /// Partings that are another way to compute results that agree, whatever is apart elsewhere.
    void forget_explained(const Replay& replay);
    void accuse(const Replay& replay);
    /// The op that was called_otherwise(). Whether there is one.
    bool accuse_arguments(const Replay& replay, const std::unordered_set<size_t>& between);
    /// Of parameters that the golden alone changes, where others are alike: the first.
    void accuse_missing(const Replay& replay);
    /// Whether something is told at one of these places.
    template <class Which>
    [[nodiscard]] bool is_told(const Which& which) const;

    const Splitter& splitter_;
    const PairedFlows& flows_;
    Plan& plan_;
    Result& result_;
    std::unordered_map<const SourceOp*, size_t> places_;
    const Replay* replay_ = nullptr;
};

std::unordered_set<size_t> ByReplay::left_behind() const {
    if (plan_.partings.empty()) return {};
    const GoesOn goes_on(flows_);
    const LeftState left(flows_);
    std::unordered_set<size_t> places;
    for (const Parting& parting : plan_.partings) {
        // What the golden leaves behind is among the states that it has computed.
        const bool is_left = parting.only_golden.empty() && left.has(parting);
        if (!is_left && !goes_on.has(parting) && !changes_its_taker(parting)) continue;
        for (const auto* ops : {&parting.only_target, &parting.only_golden})
            for (const SourceOp* op : *ops)
                places.insert(places_.at(op));
    }
    return places;
}

template <class Which>
void ByReplay::forget(const Which& all) {
    const std::unordered_set<size_t> left = left_behind();
    const auto which = [&](size_t place) {
        return all(place) && !left.contains(place) &&
               !replay_->lasting.contains(plan_.ops[place].golden);
    };
    std::erase_if(result_.culprits, [&](const Culprit& culprit) {
        if (!which(culprit.op) || lacks_its_bias(culprit.op)) return false;
        // Where arithmetic is coarse, much agrees with what another tensor makes.
        const bool may_be_none = plan_.is_related || replay_->is_fine ||
                                 replay_->made_good.contains(plan_.ops[culprit.op].golden);
        return culprit.kind == CulpritKind::kProgram ||
               (culprit.kind == CulpritKind::kTensor && may_be_none &&
                distance_of(result_, culprit) > kNearGiven &&
                !is_another_given(
                    flows_, plan_.ops[culprit.op], result_.ops[culprit.op], culprit.tensor));
    });
    for (size_t place = 0; place < result_.ops.size(); ++place) {
        OpResult& op = result_.ops[place];
        if (!which(place) || is_sure(place)) continue;
        if (!is_of_programs(op) && !is_made_good(place)) continue;
        if (lacks_its_bias(place)) continue;
        op.from_nothing = false;
        op.shapes_differ = false;
        if (!op.is_pair()) op.in_span = true;
        for (TensorResult& tensor : op.tensors)
            if (is_finding(tensor.judgement.verdict))
                tensor.judgement = {
                    tensor.metrics.empty() ? Verdict::kUndefined : Verdict::kInherited,
                    "the golden's ops make of the target's numbers what the target makes"};
        op.judgement = {};
        conclude(op, result_.allow_golden_at_fault);
    }
    forget_partings(which);
}

template <class Which>
void ByReplay::forget_partings(const Which& which) {
    const std::unordered_set<const SourceOp*> little = little_scalings(flows_, plan_.partings);
    const auto is_forgotten = [&](const Parting& parting) {
        const auto& ops = parting.only_golden.empty() ? parting.only_target : parting.only_golden;
        // What one op changes may be within what coarse arithmetic leaves.
        const bool is_one_sided = parting.only_target.empty() || parting.only_golden.empty();
        return (replay_->is_fine || !is_one_sided || is_made_good(parting) ||
                is_explained(parting)) &&
               !little.contains(&parting.first()) && (is_one_sided || !is_felt_behind(parting)) &&
               std::ranges::all_of(ops, [&](const SourceOp* op) { return which(places_.at(op)); });
    };
    std::vector<PartingResult> told;
    std::vector<Parting> partings;
    for (size_t i = 0; i < plan_.partings.size(); ++i) {
        const Parting& parting = plan_.partings[i];
        if (is_forgotten(parting) &&
            !lacks_bias(plan_, flows_, parting.only_target, parting.only_golden)) {
            mark_span(parting, 0, std::nullopt, places_, result_);
        } else {
            told.push_back(std::move(result_.partings[i]));
            partings.push_back(parting);
        }
    }
    result_.partings = std::move(told);
    plan_.partings = std::move(partings);
}

template <class Which>
bool ByReplay::is_told(const Which& which) const {
    const bool by_culprit = std::ranges::any_of(
        result_.culprits, [&](const Culprit& culprit) { return which(culprit.op); });
    const bool by_parting =
        std::ranges::any_of(result_.partings, [&](const PartingResult& parting) {
            return which(static_cast<size_t>(std::max(parting.op, 0)));
        });
    if (by_culprit || by_parting) return true;
    for (size_t place = 0; place < result_.ops.size(); ++place)
        if (which(place) && is_finding(result_.ops[place].judgement.verdict) &&
            result_.ops[place].is_pair())
            return true;
    return false;
}

bool ByReplay::accuse_arguments(const Replay& replay, const std::unordered_set<size_t>& between) {
    const auto found = called_otherwise(plan_, result_, replay, places_);
    if (!found) return false;
    forget([&](size_t place) { return between.contains(place) && place != found->place; });
    result_.ops[found->place].from_nothing = true;
    result_.culprits.push_back(
        {.kind = CulpritKind::kArgument,
         .op = found->place,
         .why = "called with other arguments: " + found->text +
                "; what is made before it is the same, and what is made of it is not"});
    return true;
}

void ByReplay::forget_explained(const Replay& replay) {
    const std::unordered_set<size_t> left = left_behind();
    // What the first result that is apart is made of may be why, unless it is known.
    const bool is_known = std::ranges::any_of(replay.target_ops, [&](const SourceOp* op) {
        const auto place = places_.find(op);
        return place != places_.end() && is_at_fault_itself(result_.ops[place->second]);
    });
    forget_partings([&](size_t place) {
        const SourceOp* own = plan_.ops[place].target;
        return !left.contains(place) && replay.explained.contains(own) &&
               (is_known || std::ranges::find(replay.target_ops, own) == replay.target_ops.end());
    });
}

void ByReplay::accuse_missing(const Replay& replay) {
    if (replay.states.missing == 0 || replay.states.missing * kFewMissing > replay.states.alike ||
        !result_.culprits.empty() || std::ranges::any_of(result_.ops, is_of_programs))
        return;
    const std::string& first = replay.missing_states.front();
    const auto place = std::ranges::find_if(result_.ops, [&](const OpResult& op) {
        return !op.golden.empty() && first.starts_with(op.golden + "/");
    });
    if (place == result_.ops.end()) return;
    const size_t more = replay.states.missing - 1;
    result_.culprits.push_back(
        {.kind = CulpritKind::kProgram,
         .op = static_cast<size_t>(place - result_.ops.begin()),
         .why = fmt::format("the golden's {} changes what the target leaves as it was: nothing of "
                            "the target is what the golden makes of its numbers there{}",
                            place->golden,
                            more > 0 ? fmt::format(", nor at {} more", more) : "")});
}

void ByReplay::accuse(const Replay& replay) {
    // What stands before a fault is what that makes of numbers that pair by chance.
    const std::optional<bool> faults_before =
        are_faults_before(plan_, result_, *replay.first_apart);
    if (faults_before && !*faults_before) return;
    if (std::ranges::any_of(plan_.partings, [&](const Parting& parting) {
            return !parting.only_target.empty() &&
                   places_.at(parting.only_target.front()) < replay.first_apart->pair &&
                   is_taken_in(splitter_, parting) && changes_its_taker(parting);
        }))
        return;
    std::unordered_set<size_t> between = {replay.first_apart->pair};
    for (const auto* ops : {&replay.target_ops, &replay.golden_ops})
        for (const SourceOp* op : *ops)
            if (const auto place = places_.find(op); place != places_.end())
                between.insert(place->second);
    // What some agreeing result is made of makes no difference; of what the target alone has, what
    // stands before.
    const std::unordered_set<const SourceOp*> felt = felt_later(flows_, places_, result_);
    forget([&](size_t place) {
        const OpPair& pair = plan_.ops[place];
        const bool is_settled = pair.golden != nullptr ? replay.settled.contains(pair.golden)
                                                       : place < replay.first_apart->pair &&
                                                             !felt.contains(pair.target);
        return is_settled && !between.contains(place);
    });
    if (faults_before || accuse_arguments(replay, between)) return;
    // Of one op by itself nobody knows what became of a finding until there.
    const size_t last = replay.first_apart->pair;
    if (is_told([&](size_t place) { return between.contains(place); }) ||
        (between.size() == 1 && is_told([&](size_t place) { return place < last; })))
        return;
    if (const auto cause = missing_bias(plan_, flows_, replay, places_)) {
        result_.ops[cause->place].from_nothing = true;
        result_.culprits.push_back(
            {.kind = CulpritKind::kProgram, .op = cause->place, .why = cause->text});
        return;
    }
    OpResult& op = result_.ops[replay.first_apart->pair];
    const std::string text = to_text(replay);
    for (TensorResult& tensor : op.tensors)
        if (tensor.golden == replay.first_apart->golden)
            tensor.judgement = {Verdict::kFail, text, tensor.judgement.bound};
    conclude(op, result_.allow_golden_at_fault);
    op.from_nothing = true;
    result_.culprits.push_back(
        {.kind = CulpritKind::kProgram, .op = replay.first_apart->pair, .why = text});
}

}  // namespace

void judge_by_replay(const Splitter& splitter, PairedFlows& flows, Plan& plan, Result& result) {
    if (plan.load_mode || result.hardly_pair || result.structure_only || result.by_calls) return;
    ByReplay judge(splitter, flows, plan, result);
    if (!judge.is_asked()) return;
    const auto replay = splitter.replay(flows);
    if (replay) judge.judge(*replay);
}

}  // namespace npuscope::compare
