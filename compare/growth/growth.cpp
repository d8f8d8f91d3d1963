#include "compare/growth/growth.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "compare/dataflow/input_roles.h"
#include "compare/growth/allowance.h"
#include "compare/growth/bias_apart.h"
#include "compare/growth/bits_in_use.h"
#include "compare/growth/cancelled_sums.h"
#include "compare/growth/felt_given.h"
#include "compare/growth/hides_alike.h"
#include "compare/growth/left_behind.h"
#include "compare/growth/little_scaling.h"
#include "compare/growth/made_of_it.h"
#include "compare/growth/measured_runs.h"
#include "compare/growth/nearer_elsewhere.h"
#include "compare/growth/no_pairs.h"
#include "compare/growth/side_distances.h"
#include "compare/growth/turned_off.h"
#include "compare/origins/given_otherwise.h"
#include "compare/programs/mark_span.h"
#include "compare/random_ops.h"
#include "core/base/error.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

/// Of the norm: what is farther off than this changes what is made of it.
constexpr double kGross = 0.05;

/// Of how far a tensor is off that nobody computed: what is made of it is off by that at least, a
/// few times over.
constexpr double kEffectOfGiven = 1.0 / 64;

class Growth {
  public:
    Growth(const Traced& traced, Plan& plan, Result& result)
        : flows_(*traced.flows),
          plan_(plan),
          result_(result),
          target_(traced.flows->target(), true, plan, result),
          golden_(traced.flows->golden(), false, plan, result),
          left_behind_(*traced.flows),
          places_(places_of(plan)),
          made_of_it_(plan, target_) {}

    Grown judge() {
        no_pairs_ = forget_no_pairs(plan_, target_, golden_, result_);
        runs_ = measured_runs(plan_, target_, golden_, result_);
        std::erase_if(
            runs_, [&](const MeasuredRun& run) { return no_pairs_.strangers.contains(run.place); });
        made_of_it_.take(runs_);
        find_growth();
        for (MeasuredRun& run : runs_)
            judge(run);
        forget_given();
        forget_one_sided();
        conclude_all();
        take_partings();
        return std::move(grown_);
    }

  private:
    void find_growth() {
        for (MeasuredRun& run : runs_) {
            run.growth = growth_of(run);
            if (run.is_input) continue;
            if (run.growth > 1 && (is_turned_off(plan_.ops[run.place], run) ||
                                   hides_alike(plan_.ops[run.place], *run.tensor)))
                run.growth = 1;
            double& growth = growths_[run.place];
            growth = std::max(growth, run.growth);
            if (!differs(run)) continue;
            differing_.insert(run.place);
            if (!has_no_effect(run, noise_of(run))) changing_.insert(run.place);
        }
    }

    static bool differs(const MeasuredRun& run) {
        return run.out.norm > kNormGrowth * std::max(noise_of(run), run.before.norm);
    }

    void judge(MeasuredRun& run) {
        if (!run.is_input && run.growth <= 1) tell_given(run);
        if (!run.is_input && !run.is_computed()) {
            if (run.growth > 1 && judge_cancelled_sum(flows_, run))
                growths_[run.place] = 1;
            else
                judge_unknown(run);
            return;
        }
        if (run.growth <= 1) return;
        // Honest, and farther off than what came in: so are those on the way.
        if (changing_.contains(run.place)) guilty_.insert(run.crossed.begin(), run.crossed.end());
        if (!run.is_input && run.crossed.empty() && !has_no_effect(run, unsuspicious(run).norm))
            tell_pair(run);
    }

    void tell_pair(const MeasuredRun& run) {
        double& growth = grown_.pairs[run.place];
        growth = std::max(growth, run.growth);
    }

    /// The first of these ops that is at fault by itself; nullptr without any.
    [[nodiscard]] const SourceOp* faulty_among(const std::vector<const SourceOp*>& ops) const {
        const SourceOp* first = nullptr;
        for (const SourceOp* op : ops) {
            const auto place = places_.find(op);
            if (place != places_.end() &&
                result_.ops[place->second].judgement.verdict == Verdict::kFail &&
                (first == nullptr || op->id.seqid < first->id.seqid))
                first = op;
        }
        return first;
    }

    /// Of the target, whatever the golden's op does.
    [[nodiscard]] bool only_shows(const MeasuredRun& run) const {
        const SourceOp* op = plan_.ops[run.place].target;
        return op != nullptr && is_cast(op->id.op);
    }

    /// A result that nobody computed again.
    void judge_unknown(MeasuredRun& run) {
        Judgement& judgement = run.tensor->judgement;
        const double came_in = unsuspicious(run).norm;
        if (is_by_chance(run)) {
            judgement.verdict = Verdict::kNotProvable;
            judgement.rule =
                fmt::format("off by {:.2g} of the norm: both sides draw at random", run.out.norm);
            growths_[run.place] = 1;
        } else if (const SourceOp* op = faulty_among(run.crossed);
                   run.growth > 1 && op != nullptr) {
            judgement.verdict = Verdict::kInherited;
            judgement.rule = fmt::format(
                "off by {:.2g} of the norm, through {}, which is at fault", run.out.norm, op->path);
        } else if (const std::string bias = told_by_bias(run); !bias.empty()) {
            judgement.verdict = Verdict::kNotProvable;
            judgement.rule = fmt::format("off by {:.2g} of the norm: {}", run.out.norm, bias);
            growths_[run.place] = 1;
            biases_apart_.insert(run.place);
        } else if (run.growth > 1 && only_shows(run)) {
            judgement.verdict = Verdict::kNotProvable;
            judgement.rule = fmt::format(
                "off by {:.2g} of the norm: the op only copies or shows what it was given, which "
                "belongs to something else of the golden's",
                run.out.norm);
            growths_[run.place] = 1;
        } else if (const std::string other = run.growth > 1 ? elsewhere(run) : ""; !other.empty()) {
            judgement.verdict = Verdict::kNotProvable;
            judgement.rule = fmt::format(
                "off by {:.2g} of the norm: paired by place alone, where {} belongs to one of them",
                run.out.norm,
                other);
            growths_[run.place] = 1;
        } else if (run.growth > 1 && !has_no_effect(run, came_in)) {
            judgement.verdict = Verdict::kFail;
            for (const SourceOp* op : run.crossed)
                if (const auto place = places_.find(op); place != places_.end())
                    grown_.crossed.emplace(place->second, run.place);
            judgement.rule = fmt::format(
                "off by {:.2g} of the norm and {:.2g} max|g|, where what came in and "
                "what rounding leaves are off by {:.2g}{}",
                run.out.norm,
                run.out.peak,
                came_in,
                text_across(run));
        } else if (run.in_any_order) {
            return;
        } else if (run.growth > 1) {
            judgement.verdict = Verdict::kNotProvable;
            judgement.rule = fmt::format("off by {:.2g} of the norm, and what is made of it agrees",
                                         run.out.norm);
        } else if (judgement.verdict != Verdict::kPass) {
            const bool came_off = run.entry.worst.norm > kNormGrowth * noise_of(run);
            judgement.verdict = came_off ? Verdict::kInherited : Verdict::kPass;
            judgement.rule = fmt::format(
                "off by {:.2g} of the norm; what came in and what rounding leaves by {:.2g}",
                run.out.norm,
                came_in);
        }
    }

    [[nodiscard]] std::string elsewhere(const MeasuredRun& run) const {
        return nearer_elsewhere(flows_, run, kNormGrowth * unsuspicious(run).norm);
    }

    /// A dropout of one side, and the last of the steps that it is made of on the other.
    [[nodiscard]] bool is_by_chance(const MeasuredRun& run) const {
        const OpPair& pair = plan_.ops[run.place];
        std::vector<const SourceOp*> ops = run.crossed;
        ops.insert(ops.end(), {pair.target, pair.golden});
        const auto draws_on = [&](const SideDistances& side) {
            return std::ranges::any_of(
                ops, [&](const SourceOp* op) { return side.has(op) && may_be_random(*op); });
        };
        return draws_on(target_) && draws_on(golden_);
    }

    /// Whether what is made of it is no farther off than `noise`, and than other results are: the
    /// golden's is no partner of it.
    [[nodiscard]] bool has_no_effect(const MeasuredRun& run, double noise) const {
        if (run.out.norm <= kGross || std::isinf(run.out.norm)) return false;
        if (is_rescaled(run) && has_users_alike(run)) return false;
        const double limit = kNormGrowth * std::max(noise, run.before.norm);
        const OpPair& pair = plan_.ops[run.place];
        const bool is_guess = are_of_two_kinds(pair) && is_by_place(pair, *run.tensor);
        return made_of_it_.agrees(run, limit) ||
               (is_guess && made_of_it_.agrees_somewhere(run, limit));
    }

    /// Of bias_apart(), where what the program makes next agrees; else "".
    [[nodiscard]] std::string told_by_bias(const MeasuredRun& run) const {
        if (run.growth <= 1 || run.is_gradient) return "";
        const std::string text = bias_of(run);
        if (text.empty()) return "";
        for (size_t i = static_cast<size_t>(&run - runs_.data()) + 1; i < runs_.size(); ++i) {
            const MeasuredRun& next = runs_[i];
            if (next.is_input || next.is_gradient || next.place == run.place ||
                !bias_of(next).empty())
                continue;
            const double limit = kNormGrowth * std::max(unsuspicious(run).norm, run.before.norm);
            return next.out.norm <= limit ? text : "";
        }
        return "";
    }

    [[nodiscard]] std::string bias_of(const MeasuredRun& run) const {
        const double noise = kNormGrowth * unsuspicious(run).norm;
        return bias_apart(plan_.ops[run.place], run, noise, target_, golden_);
    }

    /// Whether a pair of ops of one kind takes in both sides' results: each is the other's partner,
    /// though such ops may make the same of both, as a norm does of a multiple.
    [[nodiscard]] bool has_users_alike(const MeasuredRun& run) const {
        const std::vector<const SourceOp*> theirs = golden_.users_of(run.tensor->golden);
        return std::ranges::any_of(target_.users_of(run.tensor->target), [&](const SourceOp* user) {
            const auto place = places_.find(user);
            if (place == places_.end()) return false;
            const OpPair& pair = plan_.ops[place->second];
            return !are_of_two_kinds(pair) &&
                   std::ranges::find(theirs, pair.golden) != theirs.end();
        });
    }

    /// Where what came in is a tensor that nobody computed, this is not the golden's.
    void tell_given(const MeasuredRun& run) {
        if (!run.entry.given || run.entry.given_distance < run.entry.worst.norm ||
            run.entry.given_distance <= kNormGrowth * noise_of(run) ||
            !differing_.contains(run.place) ||
            has_no_effect(run, kEffectOfGiven * run.entry.given_distance) || is_in_other_order(run))
            return;
        const TracedTensor& tensor = target_.tensor(*run.entry.given);
        const auto is_told = [&](const Culprit& culprit) { return culprit.tensor == tensor.path; };
        if (!told_.insert(tensor.given.value_or(*run.entry.given)).second ||
            std::ranges::any_of(result_.culprits, is_told))
            return;
        const SourceOp& op = *target_.op_at(tensor.op);
        result_.culprits.push_back(
            {.kind = CulpritKind::kTensor,
             .op = run.place,
             .tensor = tensor.path,
             .why = fmt::format("{} `{}` of {} is not the golden's: off by {:.2g} of its norm",
                                noun_of_input(op.id.op, tensor.argument),
                                tensor.argument,
                                op.path,
                                run.entry.given_distance)});
    }

    /// As the gates of an LSTM, and what is made of their weights.
    [[nodiscard]] bool is_in_other_order(const MeasuredRun& run) const {
        return run.entry.given_distance > kNothingAlike &&
               results_hold_the_same(plan_.ops[run.place]);
    }

    /// Whether no error grows in a pair that was looked at, or it is none.
    [[nodiscard]] bool is_quiet(size_t place) const {
        const auto growth = growths_.find(place);
        return growth == growths_.end() ? no_pairs_.has(place) : growth->second <= 1;
    }

    /// What is given in another form: elsewhere it is what it should be, or results agree.
    void forget_given() {
        std::erase_if(result_.culprits, [&](const Culprit& culprit) {
            if (culprit.kind != CulpritKind::kTensor || !is_quiet(culprit.op)) return false;
            if (is_felt(plan_.ops[culprit.op], result_.ops[culprit.op], culprit.tensor))
                return false;
            if (!differing_.contains(culprit.op)) return true;
            const auto known = target_.distance_at(culprit.tensor);
            const double off = known ? known->norm : worst_input(result_.ops[culprit.op]);
            return off <= kNormGrowth * rounding_to(kBitsOfBFloat16).norm;
        });
    }

    /// Of the norm: what casts were given is compared behind them.
    static double worst_input(const OpResult& op) {
        double worst = 0;
        for (const TensorResult& tensor : op.tensors)
            if (tensor.direction == dumpfile::Direction::kInput && !tensor.metrics.empty())
                worst = std::max(worst, distance_of(tensor, true).norm);
        return worst;
    }

    /// What one side alone gives an op proves nothing where no error grows.
    void forget_one_sided() {
        std::erase_if(result_.culprits, [&](const Culprit& culprit) {
            return culprit.kind == CulpritKind::kProgram && biases_apart_.contains(culprit.op);
        });
        std::unordered_set<size_t> told;
        for (const Culprit& culprit : result_.culprits)
            if (culprit.kind == CulpritKind::kProgram) told.insert(culprit.op);
        for (size_t place = 0; place < plan_.ops.size(); ++place) {
            if (!is_quiet(place) || told.contains(place)) continue;
            for (TensorResult& tensor : result_.ops[place].tensors)
                if (tensor.judgement.verdict == Verdict::kMissingTarget ||
                    tensor.judgement.verdict == Verdict::kMissingGolden)
                    tensor.judgement = {Verdict::kUndefined,
                                        "only one side has it, and no error grows here"};
        }
    }

    void conclude_all() {
        for (size_t place = 0; place < plan_.ops.size(); ++place)
            if (growths_.contains(place) || no_pairs_.has(place))
                conclude(result_.ops[place], result_.allow_golden_at_fault);
    }

    /// A parting that errors do not begin in is another way to compute the same, and so is what
    /// stands in it beside the ops that they begin in.
    void take_partings() {
        const auto is_guilty = [&](const SourceOp* op) { return guilty_.contains(op); };
        const auto is_innocent = [&](const SourceOp* op) { return !is_guilty(op); };
        const std::unordered_set<const SourceOp*> little = little_scalings(flows_, plan_.partings);
        std::erase_if(plan_.partings, [&](Parting& parting) {
            if (left_behind_.has(parting) || little.contains(&parting.first())) return false;
            Parting innocent = parting;
            std::erase_if(innocent.only_target, is_guilty);
            std::erase_if(innocent.only_golden, is_guilty);
            std::erase_if(parting.only_target, is_innocent);
            std::erase_if(parting.only_golden, is_innocent);
            if (!innocent.is_empty()) mark_span(innocent, 0, std::nullopt, places_, result_);
            return parting.is_empty();
        });
        accuse_ends();
    }

    /// Of a guilty span that no parting tells: the pair that it ends in, which the program may have
    /// called with other numbers (an optimizer's rate).
    void accuse_ends() {
        std::unordered_set<const SourceOp*> told;
        for (const Parting& parting : plan_.partings) {
            told.insert(parting.only_target.begin(), parting.only_target.end());
            told.insert(parting.only_golden.begin(), parting.only_golden.end());
        }
        for (const MeasuredRun& run : runs_) {
            if (run.is_input || run.growth <= 1 || run.crossed.empty() || !run.is_computed() ||
                !changing_.contains(run.place))
                continue;
            const bool is_told = std::ranges::any_of(
                run.crossed, [&](const SourceOp* op) { return told.contains(op); });
            if (!is_told) tell_pair(run);
        }
    }

    const PairedFlows& flows_;
    Plan& plan_;
    Result& result_;
    SideDistances target_;
    SideDistances golden_;
    LeftBehind left_behind_;
    std::unordered_map<const SourceOp*, size_t> places_;
    NoPairs no_pairs_{};
    MadeOfIt made_of_it_;
    std::vector<MeasuredRun> runs_{};
    std::unordered_map<size_t, double> growths_{};  ///< the largest, by place
    std::unordered_set<size_t> differing_{};  ///< places whose results differ by more than noise
    std::unordered_set<size_t> changing_{};   ///< of these, places that change what is made of them
    std::unordered_set<size_t> told_{};       ///< tensors of the target that nobody computed
    std::unordered_set<size_t> biases_apart_{};  ///< places of bias_apart()
    Grown grown_{};
    std::unordered_set<const SourceOp*> guilty_{};  ///< ops without partner that errors begin in
};

}  // namespace

std::optional<Grown> judge_growth(const Traced& traced, Plan& plan, Result& result) {
    if (!plan.is_related || !traced.flows) return std::nullopt;
    return Growth(traced, plan, result).judge();
}

}  // namespace npuscope::compare
