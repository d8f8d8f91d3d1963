#include "compare/measure/measure_pair.h"

#include <algorithm>
#include <limits>

#include "compare/judge_as_sum.h"
#include "compare/judge_statistics.h"
#include "compare/measure/accumulate.h"
#include "compare/measure/equal_numbers.h"
#include "compare/measure/expanded_input.h"
#include "compare/relate/arrangements.h"
#include "compare/rules/rule.h"
#include "core/base/error.h"
#include "custom_algorithms/runner.h"

namespace npuscope::compare {

namespace {

Judgement judge_one_sided(const TensorPair& pair) {
    Judgement judgement = pair.target != nullptr
                              ? Judgement{Verdict::kMissingGolden, "only the target has it"}
                              : Judgement{Verdict::kMissingTarget, "only the golden side has it"};
    // A place that is kept for a result which is not there differs from nothing.
    if (std::ranges::find(pair.known().shape, 0) != pair.known().shape.end())
        judgement = {Verdict::kUndefined, judgement.rule + ", without elements"};
    return judgement;
}

Judgement shapes_differ(const Shape& target, const Shape& golden) {
    return {Verdict::kIncomparable,
            "shapes differ: " + to_string(target) + " and " + to_string(golden)};
}

/// The sums over what is not ignored; places are those in the whole tensors.
Sums accumulate_kept(const ElementSource& target,
                     const ElementSource& golden,
                     const IgnoredElements& ignored,
                     const Options& options) {
    const KeptElements kept(target, ignored);
    Sums sums =
        accumulate(kept, KeptElements(golden, ignored), options.divergence, options.threads);
    for (int64_t* place : {&sums.max_d_at, &sums.first_nonfinite, &sums.first_out_of_range})
        *place = kept.place_in_whole(*place);
    return sums;
}

/// Of a pair whose sums are known.
void judge_sums(const Bound& bound, DType dtype, TensorResult& result) {
    for (const Metric* metric : all_metrics())
        result.metrics.push_back(metric->compute(result.sums));
    result.judgement = judge({result.sums, bound, dtype});
}

/// Measures and judges one pair. `ignored` may be nullptr.
TensorResult measure(const ElementSource& target,
                     const ElementSource& golden,
                     const Bound& bound,
                     const Options& options,
                     const IgnoredElements* ignored = nullptr) {
    TensorResult result;
    result.dtype = name_of(target.dtype());
    result.shape = target.shape();
    if (!are_comparable(target.dtype(), golden.dtype())) {
        const std::string dtypes =
            std::string(name_of(target.dtype())) + " and " + std::string(name_of(golden.dtype()));
        const auto are_equal = [&] {
            return ignored == nullptr ? hold_equal_numbers(target, golden)
                                      : hold_equal_numbers(KeptElements(target, *ignored),
                                                           KeptElements(golden, *ignored));
        };
        const bool are_alike = without_ones(target.shape()) == without_ones(golden.shape());
        if (are_alike && are_equal()) {
            result.judgement = {Verdict::kPass, "the same numbers in " + dtypes};
        } else if (are_alike && ignored == nullptr && hold_whole_numbers(target) &&
                   hold_whole_numbers(golden)) {
            // What is chosen by numbers (an expert, a word) is counted in either.
            result.sums = accumulate(target.whole().cast(DType::kFloat64),
                                     golden.whole().cast(DType::kFloat64),
                                     options.divergence,
                                     options.threads);
            judge_sums(bound, target.dtype(), result);
        } else {
            result.judgement = {Verdict::kIncomparable, "dtypes differ: " + dtypes};
        }
        return result;
    }
    if (without_ones(target.shape()) != without_ones(golden.shape())) {
        result.judgement = shapes_differ(target.shape(), golden.shape());
        return result;
    }
    if (ignored != nullptr) {
        result.sums = accumulate_kept(target, golden, *ignored, options);
        result.ignored = target.numel() - result.sums.numel;
    } else {
        result.sums = accumulate(target, golden, options.divergence, options.threads);
    }
    judge_sums(bound, target.dtype(), result);
    return result;
}

RecordedStatistics recorded(const SourceTensor& tensor) {
    return tensor.open ? recorded_of(tensor.open()->whole())
                       : tensor.statistics.value_or(RecordedStatistics{});
}

TensorResult by_elements(const ElementSource& target,
                         const ElementSource& golden,
                         const BoundQuery& query,
                         const Bounds& bounds,
                         const Options& options,
                         const IgnoredElements* ignored) {
    TensorResult result = measure(target, golden, bounds.bound(query), options, ignored);
    // What is taken in may be expanded on one side already.
    if (query.is_input && result.metrics.empty() && ignored == nullptr &&
        target.shape() != golden.shape()) {
        if (const auto wide = expanded_to(golden.shape(), target))
            result = measure(TensorElements(*wide), golden, bounds.bound(query), options);
        else if (const auto other = expanded_to(target.shape(), golden))
            result = measure(target, TensorElements(*other), bounds.bound(query), options);
        result.shape = target.shape();
    }
    judge_as_sum(result, query.dtype, [&] { return bounds.sum_of_magnitudes(query); });
    target.require_intact();
    golden.require_intact();
    return result;
}

/// Judges again where the target's writer watched its ops.
void judge_by_history(const TensorPair& pair, TensorResult& result) {
    const ArrayHistory& own = pair.target->history;
    if (result.metrics.empty() || (!own.honest && own.fault.empty())) return;
    const LiveHistory history{
        .honest = own.honest,
        .same_program = !own.program.empty() && own.program == pair.golden->history.program,
        .fault = own.fault};
    result.judgement = judge({.sums = result.sums,
                              .bound = result.judgement.bound,
                              .dtype = dtype_from_name(result.dtype).value_or(DType::kFloat32),
                              .is_input = result.direction == dumpfile::Direction::kInput,
                              .history = &history});
}

/// Hashes of all bytes tell more than statistics.
void take_hashes(const TensorPair& pair, TensorResult& result) {
    const std::string& mine = pair.target->hash;
    const std::string& theirs = pair.golden->hash;
    result.hash_differs = mine != theirs;
    if (result.hash_differs) {
        const std::string rule = "hash " + mine + ", golden " + theirs;
        if (result.change.empty()) result.change = rule;
        if (!result.by_statistics) result.deviation = std::numeric_limits<double>::infinity();
        result.judgement = {Verdict::kFail,
                            rule + (result.by_statistics ? "; " + result.judgement.rule : "")};
    } else if (!result.by_statistics) {
        result.judgement = {Verdict::kPass, "hash: " + mine + " on both sides"};
    }
    result.by_statistics = true;
    result.missing_statistics = 0;
}

TensorResult by_statistics(const TensorPair& pair, const BoundQuery& query, const Bounds& bounds) {
    TensorResult result;
    for (const SourceTensor* side : {pair.target, pair.golden})
        if (!side->open && !side->statistics && !side->problem.empty()) {
            result.judgement = {Verdict::kIncomparable, side->problem};
            return result;
        }
    if (pair.target->shape != pair.golden->shape) {
        result.judgement = shapes_differ(pair.target->shape, pair.golden->shape);
        return result;
    }
    if (pair.target->ignored) {
        result.judgement = {Verdict::kUndefined,
                            "a part of it is to be ignored, and its elements are not recorded"};
        return result;
    }
    const RecordedStatistics target = recorded(*pair.target);
    const RecordedStatistics golden = recorded(*pair.golden);
    const StatisticsJudgement judged = judge_statistics(target, golden, bounds.bound(query));
    result.judgement = judged.judgement;
    result.deviation = judged.deviation;
    result.scale = judged.scale;
    result.missing_statistics = judged.missing;
    result.by_statistics = judged.missing < kStatistics;
    result.change = first_change(target, golden);
    if (pair.target->dtype != pair.golden->dtype)
        result.change = "dtype " + pair.target->dtype + ", golden " + pair.golden->dtype;
    if (!pair.target->hash.empty() && !pair.golden->hash.empty()) take_hashes(pair, result);
    return result;
}

}  // namespace

TensorResult measure_pair(const TensorPair& pair, const Bounds& bounds, const Options& options) {
    TensorResult result;
    std::unique_ptr<ElementSource> target;
    std::unique_ptr<ElementSource> golden;
    if (pair.target == nullptr || pair.golden == nullptr) {
        result.judgement = judge_one_sided(pair);
    } else {
        const BoundQuery query{
            .target = pair.target->path,
            .golden = pair.golden->path,
            .dtype = dtype_from_name(pair.target->dtype).value_or(DType::kFloat32),
            .compute_type = pair.target->compute_type,
            .is_input = pair.target->direction == dumpfile::Direction::kInput};
        try {
            if (pair.target->open && pair.golden->open) {
                target = pair.target->open();
                golden = pair.golden->open();
                result = by_elements(
                    *target, *golden, query, bounds, options, pair.target->ignored.get());
                // Not where the caller's tolerance decides.
                if (options.splitter != nullptr && options.judging != Judging::kOff)
                    judge_by_history(pair, result);
            } else {
                result = by_statistics(pair, query, bounds);
            }
        } catch (const Error& failure) {
            result = {};
            result.judgement = {Verdict::kIncomparable, failure.what()};
        }
        result.target = pair.target->path;
        result.golden = pair.golden->path;
    }
    const SourceTensor& known = pair.known();
    if (pair.tie != nullptr) result.relation = pair.tie->words();
    result.argument = known.argument;
    result.direction = known.direction;
    (pair.target != nullptr ? result.target : result.golden) = known.path;
    if (result.metrics.empty()) {
        result.dtype = known.dtype;
        result.shape = known.shape;
    } else if (options.custom != nullptr) {
        result.custom = options.custom->compare(
            pair.target->kept(), pair.golden->kept(), result.target, result.golden);
    }
    return result;
}

TensorResult compare_tensors(const Tensor& target,
                             const Tensor& golden,
                             const Bound& bound,
                             const Options& options) {
    return measure(TensorElements(target), TensorElements(golden), bound, options);
}

}  // namespace npuscope::compare
