#include "diagnose/judge/side_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "diagnose/judge/product_error.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// A class explains a group when it explains all of the sample but this share, or one: a fault is
/// in few ops.
constexpr double kShare = 0.03;
/// A class more lenient than the tightest is plausible when the errors come near to its bounds:
/// half of the sample is over this share of them. Else it would be chosen to excuse a few.
constexpr double kNear = 0.02;
/// Errors that spread are small at most elements.
constexpr double kNearSpread = 0.001;
/// By how much a class must fit better than one before it in the table, as a mean logarithm.
constexpr double kBetter = 0.05;
/// An op that a fault is in exceeds the limit by more.
constexpr double kFar = 3;
/// Fewer ops of a kind take the class of their like.
constexpr int64_t kFewest = 10;
/// Of large tensors fewer runs are sampled.
constexpr size_t kFewestSampled = 10;
constexpr int64_t kSampledElements = int64_t{1} << 22;

using Ratios = ClassRatios;

bool is_product(OpKind kind) {
    return kind == OpKind::kProduct || kind == OpKind::kConvolution;
}

/// How far off a class is, on the whole: without regard to how well it fits, or how far one fault
/// is off.
double log_score(const std::vector<Ratios>& sample, size_t column) {
    double sum = 0;
    for (const Ratios& ratios : sample)
        sum += std::log(std::clamp(ratios[column], 0.25, 1e6));
    return sum / static_cast<double>(std::max<size_t>(sample.size(), 1));
}

bool is_near(const std::vector<Ratios>& sample, size_t column, double share) {
    std::vector<double> ratios;
    for (const Ratios& each : sample)
        ratios.push_back(each[column]);
    if (ratios.empty()) return false;
    const auto middle = ratios.begin() + static_cast<ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle >= share;
}

/// One of the classes that are tried together, the one that fits best.
struct Stage {
    size_t column = 0;
    double near = 0;  ///< how near the errors must come to its bounds
};

/// The first stage that explains the sample; without one, that which explains most.
std::pair<size_t, int64_t> choose(const std::vector<Stage>& stages,
                                  const std::vector<Ratios>& sample) {
    std::pair<size_t, int64_t> found{stages.front().column, -1};
    for (const Stage& stage : stages) {
        const int64_t within = count_within(sample, stage.column);
        if (!is_near(sample, stage.column, stage.near)) continue;
        if (explains(sample, stage.column)) return {stage.column, within};
        if (within > found.second) found = {stage.column, within};
    }
    return found;
}

InferredArithmetic product_class_of(const std::vector<Ratios>& sample, DType dtype) {
    const auto classes = product_classes();
    std::vector<Stage> stages;
    for (size_t first = 0; first < classes.size();) {
        size_t last = first;
        size_t best = first;
        for (; last < classes.size() && classes[last].stage == classes[first].stage; ++last)
            if (log_score(sample, last) < log_score(sample, best) - kBetter) best = last;
        if (dtype == DType::kFloat64 || classes[first].sums.bits < kFloat64.bits)
            stages.push_back({best,
                              stages.empty()             ? 0
                              : classes[best].spread > 0 ? kNearSpread
                                                         : kNear});
        first = last;
    }
    const auto [column, within] = choose(stages, sample);
    return {.product = &classes[column],
            .sampled = static_cast<int64_t>(sample.size()),
            .within = within};
}

InferredArithmetic vector_class_of(const std::vector<Ratios>& sample, DType dtype) {
    const auto classes = vector_classes();
    std::vector<Stage> stages;
    for (size_t column = 0; column < classes.size(); ++column)
        if (dtype == DType::kFloat64 || classes[column].steps.bits < kFloat64.bits)
            stages.push_back({column, stages.empty() ? 0 : kNear});
    const auto [column, within] = choose(stages, sample);
    return {.vector = &classes[column],
            .sampled = static_cast<int64_t>(sample.size()),
            .within = within};
}

bool rounds_alike(const ProductClass& one, const ProductClass& other) {
    return one.rounding == other.rounding && one.operands.bits == other.operands.bits &&
           one.operands.lowest == other.operands.lowest;
}

Ratios ratios_of(const OpRun& run) {
    Ratios ratios;
    ratios.fill(0);
    if (is_product(kind_of(*run.op))) {
        // Classes that round operands alike share what is computed, and follow each other.
        ProductError error(run);
        const auto classes = product_classes();
        std::vector<bool> done(classes.size());
        for (size_t first = 0; first < classes.size(); ++first) {
            for (size_t i = first; i < classes.size(); ++i) {
                if (done[i] || !rounds_alike(classes[i], classes[first])) continue;
                ratios[i] = error.ratio(classes[i]).value_or(0);
                done[i] = true;
            }
            error.forget_rounded();
        }
    } else {
        VectorError error(run);
        for (size_t i = 0; i < vector_classes().size(); ++i)
            ratios[i] = error.ratio(vector_classes()[i]).value_or(0);
    }
    return ratios;
}

/// Bits that equal the exact ones fit any class.
bool is_telling(const Ratios& ratios) {
    return std::ranges::any_of(ratios, [](double ratio) { return ratio > 0; });
}

/// Of two classes of one kind, the first the more precise one, and found without exception.
bool is_more_precise(const InferredArithmetic& one, const InferredArithmetic& other) {
    if (one.within < one.sampled) return false;
    return one.product != nullptr ? is_as_precise(*one.product, *other.product) &&
                                        !is_as_precise(*other.product, *one.product)
                                  : is_as_precise(*one.vector, *other.vector) &&
                                        !is_as_precise(*other.vector, *one.vector);
}

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

std::string name_of_forms(const backend::Op& op) {
    return op.name().substr(0, op.name().find("_backward"));
}

}  // namespace

std::string name_of(const ArithmeticGroup& group) {
    return fmt::format("{} ({})",
                       group.kind == OpKind::kProduct       ? "matrix products"
                       : group.kind == OpKind::kConvolution ? "convolutions"
                                                            : "other ops",
                       name_of(group.dtype));
}

int64_t count_within(const std::vector<ClassRatios>& sample, size_t column) {
    return std::ranges::count_if(sample,
                                 [&](const ClassRatios& ratios) { return ratios[column] <= 1; });
}

bool explains(const std::vector<ClassRatios>& sample, size_t column) {
    const auto sampled = static_cast<int64_t>(sample.size());
    const int64_t outside = sampled - count_within(sample, column);
    if (outside == 0) return true;
    if (static_cast<double>(outside) <= kShare * static_cast<double>(sampled)) return true;
    return outside == 1 && sampled > 1 &&
           std::ranges::all_of(sample, [&](const ClassRatios& ratios) {
               return ratios[column] <= 1 || ratios[column] > kFar;
           });
}

std::optional<size_t> SideJudge::form_of(const backend::Op& op) const {
    const auto found = forms_.find(name_of_forms(op));
    if (found == forms_.end()) return std::nullopt;
    const std::vector<int64_t>& runs = found->second;
    const auto most = std::ranges::max_element(runs);
    const int64_t all = std::accumulate(runs.begin(), runs.end(), int64_t{0});
    if (*most < 2 || *most < all) return std::nullopt;
    return static_cast<size_t>(most - runs.begin());
}

ArithmeticGroup group_of(const OpRun& run) {
    ArithmeticGroup group{kind_of(*run.op), DType::kFloat32};
    for (const RecordedResult& result : run.results)
        if (is_float(result.elements.dtype())) {
            group.dtype = result.elements.dtype();
            break;
        }
    return group;
}

SideJudge::SideJudge(const std::vector<SideOp>& ops, int threads, size_t sample_size) {
    std::map<std::string, std::vector<const SideOp*>> by_name;
    for (const SideOp& op : ops)
        by_name[op.op->id.op].push_back(&op);
    // Of every name some, so that no kind is told by one op only.
    std::vector<const SideOp*> chosen;
    for (const auto& [name, runs] : by_name)
        for (const SideOp* op : evenly(runs, affordable_runs(*runs.front()->op, sample_size)))
            chosen.push_back(op);
    std::mutex mutex;
    parallel_for(static_cast<int64_t>(chosen.size()), threads, [&](int64_t index) {
        try {
            const SideOp& op = *chosen[static_cast<size_t>(index)];
            std::string why_not;
            auto run = load_run(*op.op, why_not, op.inputs);
            if (!run || run->results.empty()) return;
            const ArithmeticGroup group = group_of(*run);
            Ratios ratios;
            ratios.fill(std::numeric_limits<double>::infinity());
            const std::string name = name_of_forms(*run->op);
            const std::vector<OpRun> forms = forms_of(std::move(*run));
            size_t best = 0;
            for (size_t form = 0; form < forms.size(); ++form) {
                const Ratios other = ratios_of(forms[form]);
                // The tightest class tells forms apart best.
                if (!(other[1] < ratios[1])) continue;
                ratios = other;
                best = form;
            }
            if (!is_telling(ratios)) return;
            const std::lock_guard guard(mutex);
            const auto [place, fresh] = samples_.try_emplace(group);
            const auto own = static_cast<size_t>(&op - ops.data());
            place->second.first = fresh ? own : std::min(place->second.first, own);
            place->second.ratios.push_back(ratios);
            if (forms.size() < 2) return;
            forms_[name].resize(forms.size());
            ++forms_[name][best];
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
        }
    });
    for (const auto& [group, sample] : samples_) {
        std::vector<Ratios> wider = sample.ratios;
        if (static_cast<int64_t>(wider.size()) < kFewest)
            for (const auto& [other, more] : samples_)
                if (other != group && is_product(other.kind) == is_product(group.kind))
                    wider.insert(wider.end(), more.ratios.begin(), more.ratios.end());
        const auto class_from = [&](const std::vector<Ratios>& runs) {
            return is_product(group.kind) ? product_class_of(runs, group.dtype)
                                          : vector_class_of(runs, group.dtype);
        };
        classes_[group] = class_from(wider);
        // Few runs that are more precise than their like need no excuse.
        if (const InferredArithmetic own = class_from(sample.ratios);
            wider.size() > sample.ratios.size() && is_more_precise(own, classes_[group]))
            classes_[group] = own;
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
