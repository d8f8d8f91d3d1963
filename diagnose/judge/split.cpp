#include "diagnose/judge/split.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "compare/random_ops.h"
#include "core/naming/aliases.h"
#include "core/tensor/difference.h"
#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/load_mode.h"
#include "diagnose/judge/other_form.h"
#include "diagnose/judge/other_numbers.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/random_error.h"

namespace npuscope::diagnose {

namespace {

using compare::OpPair;
using compare::Split;
using compare::SplitQuery;

/// How many ops after a product the addition of its bias may come.
constexpr size_t kNextOps = 4;
/// Runs of a name that tell its class in a quick judgement.
constexpr size_t kQuickSample = 6;
/// No more of them than this for each op that is judged.
constexpr size_t kQuickShare = 2;

/// Runs of so many elements are in memory one at a time; all threads share their pieces.
constexpr int64_t kMuch = int64_t{1} << 22;

/// The same elements, whatever the shapes.
bool hold_the_same(const Tensor& one, const Tensor& other) {
    return one.numel() == other.numel() && identical(one.reshaped(other.shape()), other);
}

}  // namespace

bool RecomputingSplitter::was_loaded(compare::PairedFlows& flows) const {
    return known_.loaded || were_inputs_loaded(flows, threads_);
}

void RecomputingSplitter::prepare(compare::PairedFlows& flows, std::span<const size_t> chosen) {
    const compare::Plan& plan = flows.plan();
    target_ = &flows.target().source;
    load_mode_ = plan.load_mode;
    if (!load_mode_ && !target_->may_have_inputs())
        rebuilder_ = std::make_unique<compare::InputRebuilder>(flows, threads_);
    if (rebuilder_) takers_ = take_in_extra_ops(flows, *rebuilder_);
    if (!expected_.is_anything()) expected_ = ExpectedArithmetic::recorded_in(*target_);
    // Their class is told by runs of the same names.
    std::set<std::string> names;
    for (const size_t each : chosen)
        for (const SourceOp* op : {plan.ops[each].target, plan.ops[each].golden})
            if (op != nullptr)
                for (const SourceOp* run : runs_of(*op))
                    names.insert(run->op());
    const auto chosen_runs = [&](const SourceOp* op) {
        std::vector<const SourceOp*> runs;
        if (op != nullptr) runs = runs_of(*op);
        std::erase_if(runs, [&](const SourceOp* run) {
            return !chosen.empty() && !names.contains(run->op());
        });
        return runs;
    };
    is_quick_ = !chosen.empty();
    if (is_quick_) sample_ = std::min(kQuickSample, kQuickShare * chosen.size());
    std::vector<SideOp> targets;
    for (size_t i = 0; i < plan.ops.size(); ++i) {
        const OpPair& pair = plan.ops[i];
        places_[&pair] = i;
        for (const SourceOp* run : chosen_runs(pair.target))
            targets.push_back({run, known_inputs(pair)});
        for (const SourceOp* op : pair.also_target)
            for (const SourceOp* run : chosen_runs(op))
                targets.push_back({run, {}});
        for (const SourceOp* run : chosen_runs(pair.golden))
            goldens_.push_back({run, {}});
        for (const SourceOp* op : pair.also_golden)
            for (const SourceOp* run : chosen_runs(op))
                goldens_.push_back({run, {}});
        pairs_of_targets_.resize(targets.size(), &pair);
    }
    target_judge_ =
        known_.target != nullptr
            ? std::make_unique<SideJudge>(targets, *known_.target)
            : std::make_unique<SideJudge>(targets, threads_, sample_, expected_.is_named());
    if (chosen.empty() && known_.target == nullptr) (void)golden_judge();
}

const SideJudge& RecomputingSplitter::golden_judge() const {
    std::call_once(golden_made_, [&] {
        golden_judge_ = known_.golden != nullptr
                            ? std::make_unique<SideJudge>(goldens_, *known_.golden)
                            : std::make_unique<SideJudge>(goldens_, threads_, sample_);
    });
    return *golden_judge_;
}

std::unique_lock<std::mutex> RecomputingSplitter::alone_if_large(const SourceOp& op) const {
    int64_t elements = 0;
    for (const SourceTensor& tensor : op.load())
        elements += numel_of(tensor.shape);
    return elements < kMuch ? std::unique_lock<std::mutex>() : std::unique_lock(large_run_);
}

void RecomputingSplitter::judge_span(const OpPair& pair, Split& split) const {
    for (const SourceOp* op : pair.also_target) {
        std::string why_not;
        auto loaded = load_run(*op, why_not);
        if (!loaded) continue;
        const std::vector<OpRun> forms = forms_of(std::move(*loaded));
        auto [form, errors] = target_judge_->judge_best(forms);
        for (size_t i = 0; i < errors.size(); ++i) {
            auto& error = errors[i];
            if (!error || error->ratio <= split.target->ratio) continue;
            if (error->ratio > 1)
                if (const auto ratio = ratio_with_bias(*op, forms[form]))
                    error->ratio = std::min(error->ratio, *ratio);
            if (error->ratio <= split.target->ratio) continue;
            split.target = std::move(error);
            split.target->step = op->path;
            split.target->step_result = forms[form].results[i].path;
        }
    }
}

void RecomputingSplitter::judge_random(const OpPair& pair,
                                       const std::vector<SplitQuery>& outputs,
                                       const std::vector<ArgumentDifference>& arguments,
                                       std::vector<Split>& splits) const {
    std::string why_not;
    auto target = load_run(*pair.target, why_not, known_inputs(pair), true);
    if (!target || has_ignored(*target)) return;
    const auto golden = pair.golden == nullptr
                            ? std::nullopt
                            : load_run(*pair.golden, why_not, KnownInputs{}, true);
    const auto errors = judge_draws(*target, target_judge_->vector_class(*target));
    const auto golden_errors =
        golden ? judge_draws(*golden, golden_judge_->vector_class(*golden)) : SideJudge::Errors{};
    SideJudge::Errors mixed;
    if (golden && !arguments.empty() && !load_mode_) {
        take_numbers(*golden, *target);
        mixed = judge_draws(*target, target_judge_->vector_class(*target));
    }
    require_intact(*target);
    if (golden) require_intact(*golden);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const int place = place_of(*target, outputs[i].target);
        if (place < 0 || !errors[static_cast<size_t>(place)]) continue;
        const compare::Introduced& error = *errors[static_cast<size_t>(place)];
        splits[i].why_not = compare::kCheckedRandomOp;
        const int golden_place = golden ? place_of(*golden, outputs[i].golden) : -1;
        if (golden_place >= 0) splits[i].golden = golden_errors[static_cast<size_t>(golden_place)];
        if (!mixed.empty() && mixed[static_cast<size_t>(place)]->ratio > 1 && error.ratio <= 1) {
            splits[i].by_golden_arguments = mixed[static_cast<size_t>(place)]->ratio;
            splits[i].arguments = to_text(arguments);
        }
        // An error within what is allowed tells nothing of what was drawn.
        const bool golden_wrong = splits[i].golden && splits[i].golden->ratio > 1;
        if (error.ratio > 1 || golden_wrong || splits[i].by_golden_arguments)
            splits[i].target = error;
    }
}

std::vector<Split> RecomputingSplitter::split_run(
    const OpPair& pair,
    const std::vector<SplitQuery>& outputs,
    const std::vector<ArgumentDifference>& arguments) const {
    std::vector<Split> splits(outputs.size());
    if (known_.golden != nullptr && known_.golden->policy == Policy::kReference64 &&
        std::ranges::all_of(outputs, &SplitQuery::same)) {
        // The golden is f(inputs), rounded once.
        for (Split& split : splits)
            split.target = compare::Introduced{.arithmetic = "float64, rounded once"};
        return splits;
    }
    if (is_quick_)
        if (auto splits_of_part = split_part(pair, outputs, arguments))
            return std::move(*splits_of_part);
    std::string why_not;
    std::unique_lock<std::mutex> alone = alone_if_large(*pair.target);
    auto loaded = load_target(pair, why_not);
    if (!loaded) {
        if (compare::may_be_random(*pair.target)) why_not = compare::kRandomOp;
        for (size_t i = 0; i < splits.size(); ++i) {
            splits[i].why_not = why_not;
            splits[i].like = computed_like(*pair.target, *outputs[i].target);
        }
        if (why_not == compare::kRandomOp) judge_random(pair, outputs, arguments, splits);
        return splits;
    }
    if (auto splits_of_pieces = split_in_pieces(pair, *loaded, outputs, arguments))
        return std::move(*splits_of_pieces);
    if (alone) alone.unlock();
    loaded->wide = widened(loaded->arguments);
    const auto golden_run = [&] {
        return pair.golden == nullptr ? std::nullopt : load_run(*pair.golden, why_not);
    };
    return split_loaded(pair, std::move(*loaded), golden_run, outputs, arguments);
}

std::vector<Split> RecomputingSplitter::split_loaded(
    const OpPair& pair,
    OpRun loaded,
    const GoldenRun& golden_run,
    const std::vector<SplitQuery>& outputs,
    const std::vector<ArgumentDifference>& arguments) const {
    std::vector<Split> splits(outputs.size());
    std::vector<OpRun> forms = forms_of(std::move(loaded));
    std::optional<OpRun> golden;
    SideJudge::Errors golden_errors;
    size_t form = 0;
    const auto ask_golden = [&] {
        if (golden) return;
        if (auto found = golden_run()) {
            std::vector<OpRun> golden_forms = forms_of(std::move(*found));
            const auto known = golden_forms.size() > 1
                                   ? golden_judge().form_of(*golden_forms.front().op)
                                   : std::nullopt;
            if (known) {
                form = *known;
                golden_errors = golden_judge().judge(golden_forms[form]);
            } else {
                std::tie(form, golden_errors) = golden_judge().judge_best(golden_forms);
            }
            golden = std::move(golden_forms[form]);
        }
    };
    // Which form an op has is told by all runs of the target, else by the golden; without one, by
    // what fits.
    std::optional<size_t> common;
    if (forms.size() > 1) {
        common = target_judge_->form_of(*forms.front().op);
        if (const Device* device = target_judge_->device(); !common && device != nullptr)
            common = form_of_device(forms, *device);
        if (!common) ask_golden();
    }
    SideJudge::Errors errors;
    if (forms.size() == 1) {
        errors = target_judge_->judge(forms.front());
    } else if (common) {
        form = *common;
        errors = target_judge_->judge(forms[form]);
    } else if (golden && golden->op == forms.front().op) {
        errors = target_judge_->judge(forms[form]);
    } else if (const auto most = target_judge_->form_of_all_but_one(*forms.front().op)) {
        form = *most;
        errors = target_judge_->judge(forms[form]);
    } else {
        std::tie(form, errors) = target_judge_->judge_best(forms);
    }
    if (forms.size() > 1)
        tell_other_form(
            forms,
            form,
            [&] {
                auto found = golden_run();
                return found ? forms_of(std::move(*found)) : std::vector<OpRun>();
            },
            errors);
    const OpRun target = std::move(forms[form]);
    bool differs = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const int place = place_of(target, outputs[i].target);
        if (place < 0 || !errors[static_cast<size_t>(place)]) {
            splits[i].why_not = "the op cannot be computed on these inputs";
            splits[i].like = computed_like(*pair.target, *outputs[i].target);
            continue;
        }
        splits[i].target = std::move(errors[static_cast<size_t>(place)]);
        if (splits[i].target->ratio > 1)
            if (const auto ratio = ratio_with_bias(*pair.target, target);
                ratio && *ratio < splits[i].target->ratio)
                splits[i].target->ratio = *ratio;
        differs =
            differs || splits[i].target->ratio > 1 || (outputs[i].differs && !known_.target_only);
    }
    if (!splits.empty() && splits.front().target) judge_span(pair, splits.front());
    if (pair.golden != nullptr && pair.also_target.size() == pair.also_golden.size()) {
        const bool other_numbers = !load_mode_ && !arguments.empty();
        if (differs || other_numbers) ask_golden();
        if (golden && other_numbers)
            judge_arguments(target, *golden, to_text(arguments), outputs, splits);
        if (golden && differs) {
            compare_inputs(target, *golden, golden_errors, outputs, splits);
            if (rebuilder_) doubt_rebuilt(target, *golden, outputs, splits);
        }
        if (rebuilder_ && !load_mode_) doubt_moved(pair, target, outputs, splits);
    }
    require_intact(target);
    if (golden) require_intact(*golden);
    return splits;
}

void RecomputingSplitter::compare_inputs(const OpRun& target,
                                         const OpRun& golden,
                                         SideJudge::Errors& golden_errors,
                                         const std::vector<SplitQuery>& outputs,
                                         std::vector<Split>& splits) {
    const auto exact_target = results_to_compare(target);
    const auto exact_golden = results_to_compare(golden);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const int place = place_of(golden, outputs[i].golden);
        const int target_place = place_of(target, outputs[i].target);
        if (place < 0 || target_place < 0) continue;
        splits[i].golden = std::move(golden_errors[static_cast<size_t>(place)]);
        if (!exact_target || !exact_golden) continue;
        const Tensor* t =
            expected_of(*exact_target, target.results[static_cast<size_t>(target_place)]);
        const Tensor* g = expected_of(*exact_golden, golden.results[static_cast<size_t>(place)]);
        if (t == nullptr || g == nullptr) continue;
        const auto& ignored = target.results[static_cast<size_t>(target_place)].ignored;
        splits[i].inherited = ignored && g->numel() == t->numel()
                                  ? relative_difference(ignored->rest_of(*t), ignored->rest_of(*g))
                                  : relative_difference(*t, *g);
    }
}

std::optional<double> RecomputingSplitter::ratio_with_bias(const SourceOp& op,
                                                           const OpRun& product) const {
    if (product.op->name() != "mm" || product.results.size() != 1) return std::nullopt;
    const auto& ops = target_->ops;
    if (&op < ops.data() || &op >= ops.data() + ops.size()) return std::nullopt;
    const auto first = static_cast<size_t>(&op - ops.data()) + 1;
    for (size_t i = first; i < std::min(ops.size(), first + kNextOps); ++i) {
        if (canonical_name(ops[i].id.op) != "add_Tensor") continue;
        std::string why_not;
        const auto sum = load_run(ops[i], why_not);
        if (!sum || sum->results.size() != 1) continue;
        const Tensor* left = tensor_named(sum->arguments, "self");
        const Tensor* bias = tensor_named(sum->arguments, "other");
        if (left == nullptr || bias == nullptr || bias->ndim() != 1 ||
            !hold_the_same(*left, product.results.front().elements))
            continue;
        OpRun fused{.op = backend::find_op("addmm"),
                    .arguments = {{"self", *bias},
                                  {"mat1", product.arguments.at(0).value},
                                  {"mat2", product.arguments.at(1).value}},
                    .wide = {},
                    .results = {{"result", "result", sum->results.front().elements}}};
        fused.wide = widened(fused.arguments);
        const auto errors = target_judge_->judge(fused);
        if (errors.front()) return errors.front()->ratio;
    }
    return std::nullopt;
}

std::vector<compare::ArithmeticContradiction> RecomputingSplitter::contradictions() const {
    std::vector<compare::ArithmeticContradiction> found;
    // A device that states its arithmetic does not contradict itself.
    if (!target_judge_ || known_.target != nullptr) return found;
    for (auto& [group, contradiction] : expected_.contradicted_by(*target_judge_)) {
        contradiction.first = pairs_of_targets_[target_judge_->sample_of(group).first];
        found.push_back(std::move(contradiction));
    }
    return found;
}

std::vector<std::string> RecomputingSplitter::remarks() const {
    std::vector<std::string> lines;
    if (!target_judge_) return lines;
    for (const std::string& line : target_judge_->sentences())
        lines.push_back("target, " + line);
    if (rebuilder_ && !rebuilder_->scale_text().empty())
        lines.push_back("target, " + rebuilder_->scale_text());
    // Who knows the target's device asks for the golden's only where the two differ.
    if (known_.target == nullptr)
        for (const std::string& line : golden_judge().sentences())
            lines.push_back("golden, " + line);
    return lines;
}

}  // namespace npuscope::diagnose
