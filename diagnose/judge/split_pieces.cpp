// Large runs are split piece by piece: where each piece of both sides is what honest arithmetic
// makes of it, so are the runs. What is not is looked at as a whole.
#include <algorithm>
#include <atomic>

#include "core/parallel/parallel_for.h"
#include "core/tensor/difference.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/run_in_pieces.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

namespace {

using compare::Introduced;
using compare::Split;
using compare::SplitQuery;

/// The form that all runs of its op have; empty where that is not known.
std::optional<OpRun> common_form(OpRun piece, const SideJudge& judge) {
    std::vector<OpRun> forms = forms_of(std::move(piece));
    if (forms.size() == 1) return std::move(forms.front());
    const auto form = judge.form_of(*forms.front().op);
    return form ? std::optional(std::move(forms[*form])) : std::nullopt;
}

/// What pieces of one result have shown.
struct Seen {
    std::optional<Introduced> target;
    std::optional<Introduced> golden;
    double apart = 0;    ///< max|f(target's inputs) - f(golden's inputs)|
    double largest = 0;  ///< max|f(golden's inputs)|
};

void add(const Introduced& error, std::optional<Introduced>& sum) {
    if (!sum) {
        sum = error;
        return;
    }
    const auto off = [](const Introduced& each) {
        return each.relative * (each.largest > 0 ? each.largest : 1);
    };
    const double worst = std::max(off(*sum), off(error));
    sum->largest = std::max(sum->largest, error.largest);
    sum->relative = sum->largest > 0 ? worst / sum->largest : worst;
    sum->ratio = std::max(sum->ratio, error.ratio);
    sum->numel += error.numel;
    sum->overflowed += error.overflowed;
    sum->reordered = sum->reordered || error.reordered;
}

/// False where there is something to look at more closely, or nothing is known.
bool take_honest(SideJudge::Errors& errors, int place, std::optional<Introduced>& seen) {
    if (place < 0 || !errors[static_cast<size_t>(place)]) return false;
    seen = std::move(errors[static_cast<size_t>(place)]);
    return seen->ratio <= 1;
}

bool take_inherited(const OpRun& target, const OpRun& golden, const SplitQuery& query, Seen& seen) {
    const auto exact_target = results_to_compare(target);
    const auto exact_golden = results_to_compare(golden);
    if (!exact_target || !exact_golden) return false;
    const auto result = [](const OpRun& run, const Results& exact, const SourceTensor* tensor) {
        return expected_of(exact, run.results[static_cast<size_t>(place_of(run, tensor))]);
    };
    const Tensor* t = result(target, *exact_target, query.target);
    const Tensor* g = result(golden, *exact_golden, query.golden);
    if (t == nullptr || g == nullptr || t->numel() != g->numel()) return false;
    const Difference found = difference(*t, g->reshaped(t->shape()));
    seen.apart = found.max_abs;
    seen.largest = found.largest;
    return true;
}

/// Both sides' runs of an op, the golden's where it is asked for.
class BothInPieces {
  public:
    BothInPieces(const RunInPieces& target,
                 const SideJudge& target_judge,
                 const std::optional<RunInPieces>& golden,
                 const SideJudge* golden_judge,
                 const std::vector<SplitQuery>& outputs)
        : target_(target),
          target_judge_(target_judge),
          golden_(golden),
          golden_judge_(golden_judge),
          outputs_(outputs) {}

    /// What each output shows in one piece; empty where not all of it is honest.
    [[nodiscard]] std::optional<std::vector<Seen>> look_at(int64_t index) const {
        std::vector<Seen> seen(outputs_.size());
        const auto own = common_form(target_.piece(index), target_judge_);
        if (!own) return std::nullopt;
        SideJudge::Errors errors = target_judge_.judge(*own);
        for (size_t at = 0; at < seen.size(); ++at)
            if (!take_honest(errors, place_of(*own, outputs_[at].target), seen[at].target))
                return std::nullopt;
        if (!golden_) return seen;
        const auto other = common_form(golden_->piece(index), *golden_judge_);
        if (!other) return std::nullopt;
        SideJudge::Errors golden_errors = golden_judge_->judge(*other);
        for (size_t at = 0; at < seen.size(); ++at)
            if (!take_honest(
                    golden_errors, place_of(*other, outputs_[at].golden), seen[at].golden) ||
                !take_inherited(*own, *other, outputs_[at], seen[at]))
                return std::nullopt;
        return seen;
    }

  private:
    const RunInPieces& target_;
    const SideJudge& target_judge_;
    const std::optional<RunInPieces>& golden_;
    const SideJudge* golden_judge_;
    const std::vector<SplitQuery>& outputs_;
};

Split split_of(const std::vector<std::optional<std::vector<Seen>>>& pieces, size_t output) {
    Split split;
    Difference inherited;
    for (const auto& piece : pieces) {
        const Seen& seen = (*piece)[output];
        add(*seen.target, split.target);
        if (!seen.golden) continue;
        add(*seen.golden, split.golden);
        inherited.max_abs = std::max(inherited.max_abs, seen.apart);
        inherited.largest = std::max(inherited.largest, seen.largest);
    }
    if (split.golden) split.inherited = inherited.relative();
    return split;
}

}  // namespace

std::optional<std::vector<Split>> RecomputingSplitter::split_in_pieces(
    const compare::OpPair& pair,
    const OpRun& loaded,
    const std::vector<SplitQuery>& outputs,
    const std::vector<ArgumentDifference>& arguments) const {
    const bool one_to_one = pair.also_target.empty() && pair.also_golden.empty();
    if (!one_to_one || (!load_mode_ && !arguments.empty())) return std::nullopt;
    const auto target = RunInPieces::of(loaded);
    if (!target) return std::nullopt;
    const bool differs = !known_.target_only && std::ranges::any_of(outputs, &SplitQuery::differs);
    std::optional<RunInPieces> golden;
    if (differs && pair.golden != nullptr) {
        std::string why_not;
        auto run = load_run(*pair.golden, why_not, {}, false, false);
        if (run) golden = target->like(std::move(*run));
        if (!golden) return std::nullopt;
    }
    const BothInPieces both(
        *target, *target_judge_, golden, golden ? &golden_judge() : nullptr, outputs);
    std::vector<std::optional<std::vector<Seen>>> pieces(static_cast<size_t>(target->count()));
    std::atomic<bool> all_honest = true;
    parallel_for(target->count(), threads_, [&](int64_t index) {
        if (!all_honest) return;
        auto& piece = pieces[static_cast<size_t>(index)];
        piece = both.look_at(index);
        if (!piece) all_honest = false;
    });
    if (!all_honest) return std::nullopt;
    target->require_intact();
    if (golden) golden->require_intact();
    std::vector<Split> splits;
    for (size_t at = 0; at < outputs.size(); ++at)
        splits.push_back(split_of(pieces, at));
    return splits;
}

}  // namespace npuscope::diagnose
