#include "diagnose/judge/class_inference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

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
/// Results of so many numbers tell their format.
constexpr int64_t kFewestNumbers = 8;
/// Of a run's numbers, and of a group's runs, that must have a format's bits: a fault is in few.
constexpr double kMostNumbers = 0.99;
constexpr double kMostRuns = 0.9;
/// An op that a fault is in exceeds the limit by more.
constexpr double kFar = 3;

/// How far off a class is, on the whole: without regard to how well it fits, or how far one fault
/// is off.
double log_score(const std::vector<SampledRun>& sample, size_t column) {
    double sum = 0;
    for (const SampledRun& run : sample)
        sum += std::log(std::clamp(run.ratios[column], 0.25, 1e6));
    return sum / static_cast<double>(std::max<size_t>(sample.size(), 1));
}

int64_t count_within(const std::vector<SampledRun>& sample, size_t column) {
    return std::ranges::count_if(sample,
                                 [&](const SampledRun& run) { return run.ratios[column] <= 1; });
}

/// All but few; in a small sample all but one that is far off, not just over its limit.
bool explains(const std::vector<SampledRun>& sample, size_t column) {
    const auto sampled = static_cast<int64_t>(sample.size());
    const int64_t outside = sampled - count_within(sample, column);
    if (outside == 0) return true;
    if (static_cast<double>(outside) <= kShare * static_cast<double>(sampled)) return true;
    return outside == 1 && sampled > 1 && std::ranges::all_of(sample, [&](const SampledRun& run) {
               return run.ratios[column] <= 1 || run.ratios[column] > kFar;
           });
}

bool is_near(const std::vector<SampledRun>& sample, size_t column, double share) {
    std::vector<double> ratios;
    for (const SampledRun& run : sample)
        ratios.push_back(run.ratios[column]);
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

/// The first stage that explains the sample; without one, that which explains most. 0 explained
/// when there is no stage.
std::pair<size_t, int64_t> choose(const std::vector<Stage>& stages,
                                  const std::vector<SampledRun>& sample) {
    std::pair<size_t, int64_t> found{stages.empty() ? 0 : stages.front().column, -1};
    for (const Stage& stage : stages) {
        const int64_t within = count_within(sample, stage.column);
        if (!is_near(sample, stage.column, stage.near)) continue;
        if (explains(sample, stage.column)) return {stage.column, within};
        if (within > found.second) found = {stage.column, within};
    }
    return found;
}

/// Of the format that the results of nearly all runs are in; 0 without one that is narrow.
int bits_of_results(const std::vector<SampledRun>& sample) {
    for (const int bits : {kBFloat16.bits, kFloat16.bits}) {
        int64_t known = 0;
        int64_t fitting = 0;
        for (const SampledRun& run : sample) {
            known += run.bits > 0 ? 1 : 0;
            fitting += run.bits > 0 && run.bits <= bits ? 1 : 0;
        }
        if (fitting > 1 && static_cast<double>(fitting) >= kMostRuns * static_cast<double>(known))
            return bits;
    }
    return 0;
}

/// Chooses among the classes of that format of results if one of them explains the sample, else
/// among all. `stages_of` gives the stages whose columns it is asked for.
template <class Class, class StagesOf>
std::pair<size_t, int64_t> choose_class(std::span<const Class> classes,
                                        const std::vector<SampledRun>& sample,
                                        const StagesOf& stages_of) {
    const int bits = bits_of_results(sample);
    if (bits > 0) {
        std::vector<Stage> stages =
            stages_of([&](size_t column) { return classes[column].results.bits == bits; });
        for (Stage& stage : stages)
            stage.near = 0;
        const auto found = choose(stages, sample);
        if (!stages.empty() && explains(sample, found.first)) return found;
    }
    return choose(stages_of([](size_t) { return true; }), sample);
}

/// Of significand.
int bits_needed(double value) {
    if (kBFloat16.rounded(value) == value) return kBFloat16.bits;
    return kFloat16.rounded(value) == value ? kFloat16.bits : kFloat32.bits;
}

}  // namespace

int result_bits(const OpRun& run) {
    std::map<int, int64_t> numbers;
    int64_t all = 0;
    for (const RecordedResult& result : run.results) {
        if (result.elements.dtype() != DType::kFloat32) continue;
        for (const float value : result.elements.as<float>())
            if (value != 0 && std::isfinite(value)) {
                ++numbers[bits_needed(value)];
                ++all;
            }
    }
    if (all < kFewestNumbers) return 0;
    int64_t fitting = 0;
    for (const auto& [bits, count] : numbers) {
        fitting += count;
        if (static_cast<double>(fitting) >= kMostNumbers * static_cast<double>(all)) return bits;
    }
    return kFloat32.bits;
}

InferredArithmetic product_class_of(const std::vector<SampledRun>& sample, DType dtype) {
    const auto classes = product_classes();
    const auto stages_of = [&](const auto& is_asked) {
        std::vector<Stage> stages;
        for (size_t column = 0; column < classes.size(); ++column) {
            if (!is_asked(column)) continue;
            if (dtype != DType::kFloat64 && classes[column].sums.bits >= kFloat64.bits) continue;
            if (!stages.empty() && classes[stages.back().column].stage == classes[column].stage) {
                size_t& best = stages.back().column;
                if (log_score(sample, column) < log_score(sample, best) - kBetter) best = column;
            } else {
                stages.push_back({column});
            }
        }
        for (size_t i = 1; i < stages.size(); ++i)
            stages[i].near = classes[stages[i].column].spread > 0 ? kNearSpread : kNear;
        return stages;
    };
    const auto [column, within] = choose_class(classes, sample, stages_of);
    return {.product = &classes[column],
            .sampled = static_cast<int64_t>(sample.size()),
            .within = within};
}

InferredArithmetic vector_class_of(const std::vector<SampledRun>& sample, DType dtype) {
    const auto classes = vector_classes();
    const auto stages_of = [&](const auto& is_asked) {
        std::vector<Stage> stages;
        for (size_t column = 0; column < classes.size(); ++column)
            if (is_asked(column) &&
                (dtype == DType::kFloat64 || classes[column].steps.bits < kFloat64.bits))
                stages.push_back({column, stages.empty() ? 0 : kNear});
        return stages;
    };
    const auto [column, within] = choose_class(classes, sample, stages_of);
    return {.vector = &classes[column],
            .sampled = static_cast<int64_t>(sample.size()),
            .within = within};
}

}  // namespace npuscope::diagnose
