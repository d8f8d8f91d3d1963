// Large runs are split piece by piece: where each piece of both sides is what honest arithmetic
// makes of it, so are the runs. What is not is looked at as a whole.
#include <algorithm>

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

/// What the pieces of one result have shown.
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
bool add_honest(const SideJudge::Errors& errors, int place, std::optional<Introduced>& sum) {
    if (place < 0 || !errors[static_cast<size_t>(place)]) return false;
    add(*errors[static_cast<size_t>(place)], sum);
    return sum->ratio <= 1;
}

bool add_inherited(const OpRun& target, const OpRun& golden, const SplitQuery& query, Seen& seen) {
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
    seen.apart = std::max(seen.apart, found.max_abs);
    seen.largest = std::max(seen.largest, found.largest);
    return true;
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
    std::vector<Seen> seen(outputs.size());
    for (int64_t i = 0; i < target->count(); ++i) {
        const auto own = common_form(target->piece(i), *target_judge_);
        if (!own) return std::nullopt;
        const SideJudge::Errors errors = target_judge_->judge(*own);
        for (size_t at = 0; at < outputs.size(); ++at)
            if (!add_honest(errors, place_of(*own, outputs[at].target), seen[at].target))
                return std::nullopt;
        if (!golden) continue;
        const auto other = common_form(golden->piece(i), golden_judge());
        if (!other) return std::nullopt;
        const SideJudge::Errors golden_errors = golden_judge().judge(*other);
        for (size_t at = 0; at < outputs.size(); ++at)
            if (!add_honest(golden_errors, place_of(*other, outputs[at].golden), seen[at].golden) ||
                !add_inherited(*own, *other, outputs[at], seen[at]))
                return std::nullopt;
    }
    std::vector<Split> splits(outputs.size());
    for (size_t at = 0; at < outputs.size(); ++at) {
        splits[at].target = std::move(seen[at].target);
        if (!golden) continue;
        splits[at].golden = std::move(seen[at].golden);
        splits[at].inherited =
            Difference{.max_abs = seen[at].apart, .largest = seen[at].largest}.relative();
    }
    return splits;
}

}  // namespace npuscope::diagnose
