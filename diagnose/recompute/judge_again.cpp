#include "diagnose/recompute/judge_again.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/tensor/difference.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/random_error.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

/// max|tensor - exact| / max|exact|; empty where they do not fit, or one is not finite.
std::optional<double> distance(const Tensor* tensor, const Tensor& exact) {
    if (tensor == nullptr || tensor->numel() != exact.numel() || !is_float(exact.dtype()))
        return std::nullopt;
    const Tensor wide = tensor->cast(DType::kFloat64);
    double error = 0;
    double scale = 0;
    for (size_t i = 0; i < static_cast<size_t>(wide.numel()); ++i) {
        const double expected = exact.as<double>()[i];
        const double difference = std::abs(wide.as<double>()[i] - expected);
        if (!std::isfinite(difference)) return std::nullopt;
        error = std::max(error, difference);
        scale = std::max(scale, std::abs(expected));
    }
    return scale == 0 ? error : error / scale;
}

/// A result that fails passes within a tolerance that was given for it, or within its noise.
void accept(const RecordedResult& recorded, const Tensor& exact, compare::TensorResult& result) {
    const compare::Bound& bound = result.judgement.bound;
    if (!is_float(exact.dtype()) || (!bound.given && bound.floor == 0)) return;
    const auto kept = [&](const Tensor& tensor) {
        return recorded.ignored ? recorded.ignored->rest_of(tensor)
                                : tensor.reshaped({tensor.numel()});
    };
    const Difference apart = difference(kept(recorded.elements), kept(exact));
    std::string rule;
    if (bound.given && apart.relative() <= bound.tolerance)
        rule = fmt::format(
            "{:.3g}, within the tolerance given, {:g}", apart.relative(), bound.tolerance);
    if (bound.floor > 0 && apart.max_abs <= bound.floor)
        rule = fmt::format("{:.3g}, within the noise of {} like runs, {:.3g}",
                           apart.max_abs,
                           bound.runs + 1,
                           bound.floor);
    if (rule.empty()) return;
    result.judgement.verdict = compare::Verdict::kPass;
    result.judgement.rule = rule;
    result.judgement.bound.source = rule;
}

}  // namespace

void judge_again(OpRun run,
                 const SideJudge& judge,
                 const Results& of_device,
                 std::span<compare::TensorResult> results,
                 std::span<std::optional<Errors>> shares) {
    const std::vector<OpRun> forms = forms_of(std::move(run));
    auto [form, errors] = judge.judge_best(forms);
    const OpRun& best = forms[form];
    std::optional<Results> in_float32;
    for (size_t i = 0; i < results.size(); ++i) {
        compare::TensorResult& result = results[i];
        const auto found =
            std::ranges::find(best.results, result.argument, &RecordedResult::argument);
        if (found == best.results.end()) continue;
        auto& error = errors[static_cast<size_t>(found - best.results.begin())];
        if (!error) continue;
        result.split = compare::Split{.target = std::move(error)};
        const compare::Introduced& introduced = *result.split->target;
        result.judgement.verdict =
            introduced.ratio > 1 ? compare::Verdict::kFail : compare::Verdict::kPass;
        result.judgement.rule =
            fmt::format("{:.2g} of what {} may be", introduced.ratio, introduced.arithmetic);
        result.judgement.bound.source = result.judgement.rule;
        shares[i] = Errors{.recorded = introduced.relative, .ratio = introduced.ratio};
        const Tensor* expected = exact_result(best, *found);
        if (introduced.ratio > 1 && expected != nullptr) accept(*found, *expected, result);
        if (expected == nullptr || expected->dtype() != DType::kFloat64) continue;
        if (!in_float32)
            in_float32 = npuscope::diagnose::run(*best.op, best.arguments, Device::reference32());
        if (in_float32)
            shares[i]->of_dtype = distance(result_named(*in_float32, found->name), *expected);
        shares[i]->of_device = distance(result_named(of_device, found->name), *expected);
    }
    require_intact(best);
}

void judge_draws_again(const OpRun& run,
                       const SideJudge& judge,
                       std::span<compare::TensorResult> results) {
    SideJudge::Errors errors(run.results.size());
    if (!run.arguments.empty() && !has_ignored(run)) {
        errors = judge_draws(run, judge.vector_class(run));
        require_intact(run);
    }
    for (size_t i = 0; i < results.size(); ++i) {
        compare::Judgement& judgement = results[i].judgement;
        auto& error = errors[i];
        if (error && error->ratio > 1) {
            judgement.verdict = compare::Verdict::kFail;
            judgement.rule = error->told;
            results[i].split = compare::Split{.target = std::move(error)};
        } else if (judgement.verdict != compare::Verdict::kPass) {
            judgement.verdict = compare::Verdict::kNotProvable;
            judgement.rule = error ? compare::kCheckedRandomOp : compare::kRandomOp;
        }
        judgement.bound.source = judgement.rule;
    }
}

}  // namespace npuscope::diagnose
