#include "diagnose/judge/side_judge.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "diagnose/judge/product_error.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// Of large tensors fewer runs are sampled.
constexpr size_t kFewestSampled = 10;
constexpr int64_t kSampledElements = int64_t{1} << 22;

std::vector<const SideOp*> evenly(const std::vector<const SideOp*>& ops, size_t most) {
    if (ops.size() <= most) return ops;
    std::vector<const SideOp*> chosen;
    for (size_t i = 0; i < most; ++i)
        chosen.push_back(ops[i * ops.size() / most]);
    return chosen;
}

/// Runs of large tensors tell more each, and cost more: no fewer than kFewestSampled, and of them
/// so many that they have kSampledElements.
size_t affordable_runs(const compare::SourceOp& op, size_t most) {
    int64_t elements = 1;
    try {
        for (const compare::SourceTensor& tensor : op.load())
            elements = std::max(elements, numel_of(tensor.shape));
    } catch (const Error&) {
        return most;
    }
    return std::min(most,
                    std::max(kFewestSampled, static_cast<size_t>(kSampledElements / elements)));
}

}  // namespace

std::optional<size_t> SideJudge::form_of(const backend::Op& op) const {
    const auto found = forms_.find(name_of_forms(op));
    if (found == forms_.end()) return std::nullopt;
    const std::vector<int64_t>& runs = found->second;
    const auto most = std::ranges::max_element(runs);
    const int64_t all = std::accumulate(runs.begin(), runs.end(), int64_t{0});
    if (*most < 2 || *most < all) return std::nullopt;
    return static_cast<size_t>(most - runs.begin());
}

SideJudge::SideJudge(const std::vector<SideOp>& ops,
                     int threads,
                     size_t sample_size,
                     bool all_classes) {
    std::map<std::string, std::vector<const SideOp*>> by_name;
    for (const SideOp& op : ops)
        by_name[op.op->id.op].push_back(&op);
    // Of every name some, so that no kind is told by one op only.
    std::vector<const SideOp*> chosen;
    for (const auto& [name, runs] : by_name)
        for (const SideOp* op : evenly(runs, affordable_runs(*runs.front()->op, sample_size)))
            chosen.push_back(op);
    // Most recordings show it by few classes; the others cost as much again, each.
    std::mutex mutex;
    OpenKinds open = {true, true};
    for (const Tried tried : {Tried::kPlain, Tried::kFirst, Tried::kAll}) {
        if (all_classes && tried != Tried::kAll) continue;
        const bool is_first = samples_.empty();
        std::erase_if(samples_,
                      [&](const auto& each) { return open[is_product(each.first.kind)]; });
        parallel_for(static_cast<int64_t>(chosen.size()), threads, [&](int64_t index) {
            const SideOp& op = *chosen[static_cast<size_t>(index)];
            const std::optional<SampledRun> run = sampled_run(op, tried, open);
            if (!run) return;
            const std::lock_guard guard(mutex);
            const auto [place, fresh] = samples_.try_emplace(run->group);
            const auto own = static_cast<size_t>(&op - ops.data());
            place->second.first = fresh ? own : std::min(place->second.first, own);
            place->second.ratios.push_back(run->ratios);
            if (run->forms < 2 || !is_first) return;
            forms_[run->name].resize(run->forms);
            ++forms_[run->name][run->best];
        });
        open = {false, false};
        for (const auto& each : samples_) {
            const ArithmeticGroup& group = each.first;
            classes_[group] = class_from(samples_, group);
            if (!is_settled(samples_, group, classes_[group], tried))
                open[is_product(group.kind)] = true;
        }
        if (!open[0] && !open[1]) break;
    }
}

const InferredArithmetic& SideJudge::class_of(const ArithmeticGroup& group) const {
    static const InferredArithmetic kPlainProduct{.product = &product_classes()[1]};
    static const InferredArithmetic kPlainVector{.vector = &vector_classes()[1]};
    const auto found = classes_.find(group);
    if (found != classes_.end()) return found->second;
    return is_product(group.kind) ? kPlainProduct : kPlainVector;
}

std::pair<size_t, SideJudge::Errors> SideJudge::judge_best(const std::vector<OpRun>& forms) const {
    const auto worst = [](const Errors& errors) {
        double ratio = 0;
        for (const auto& error : errors)
            ratio = std::max(ratio, error ? error->ratio : 0);
        return ratio;
    };
    std::pair<size_t, Errors> best{0, judge(forms.front())};
    for (size_t i = 1; i < forms.size(); ++i)
        if (Errors errors = judge(forms[i]); worst(errors) < worst(best.second))
            best = {i, std::move(errors)};
    return best;
}

SideJudge::Errors SideJudge::judge(const OpRun& run) const {
    const ArithmeticGroup group = group_of(run);
    const InferredArithmetic& inferred = class_of(group);
    Errors errors;
    const auto judge_all = [&](auto&& error, const auto& by) {
        for (const RecordedResult& result : run.results) {
            auto found = error.judge(by, result, false);
            if (found && found->ratio > 1) found = error.judge(by, result, true);
            if (found) found->arithmetic = inferred.name();
            errors.push_back(std::move(found));
        }
    };
    if (is_product(group.kind)) {
        judge_all(ProductError(run), *inferred.product);
    } else {
        judge_all(VectorError(run), *inferred.vector);
    }
    return errors;
}

std::vector<std::string> SideJudge::sentences() const {
    std::vector<std::string> lines;
    for (const auto& [group, inferred] : classes_)
        lines.push_back(fmt::format("{}: {} ({} of {} sampled)",
                                    name_of(group),
                                    inferred.name(),
                                    inferred.within,
                                    inferred.sampled));
    return lines;
}

}  // namespace npuscope::diagnose
