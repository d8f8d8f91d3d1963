#include "diagnose/judge/class_inference.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
/// No class fits better than this.
constexpr double kBestFit = 0.25;
/// Fewer ops of a kind take the class of their like.
constexpr int64_t kFewest = 10;

/// How far off a class is, on the whole: without regard to how well it fits, or how far one fault
/// is off.
double log_score(const std::vector<ClassRatios>& sample, size_t column) {
    double sum = 0;
    for (const ClassRatios& ratios : sample)
        sum += std::log(std::clamp(ratios[column], kBestFit, 1e6));
    return sum / static_cast<double>(std::max<size_t>(sample.size(), 1));
}

bool is_near(const std::vector<ClassRatios>& sample, size_t column, double share) {
    std::vector<double> ratios;
    for (const ClassRatios& each : sample)
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
                                  const std::vector<ClassRatios>& sample) {
    std::pair<size_t, int64_t> found{stages.front().column, -1};
    for (const Stage& stage : stages) {
        const int64_t within = count_within(sample, stage.column);
        if (!is_near(sample, stage.column, stage.near)) continue;
        if (explains(sample, stage.column)) return {stage.column, within};
        if (within > found.second) found = {stage.column, within};
    }
    return found;
}

InferredArithmetic product_class_of(const std::vector<ClassRatios>& sample, DType dtype) {
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

InferredArithmetic vector_class_of(const std::vector<ClassRatios>& sample, DType dtype) {
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

/// Of two classes of one kind, the first the more precise one, and found without exception.
bool is_more_precise(const InferredArithmetic& one, const InferredArithmetic& other) {
    if (one.within < one.sampled) return false;
    return one.product != nullptr ? is_as_precise(*one.product, *other.product) &&
                                        !is_as_precise(*other.product, *one.product)
                                  : is_as_precise(*one.vector, *other.vector) &&
                                        !is_as_precise(*other.vector, *one.vector);
}

/// Groups of fewer runs than kFewest with their like.
std::vector<ClassRatios> widened_sample(const ArithmeticSamples& samples,
                                        const ArithmeticGroup& group) {
    std::vector<ClassRatios> wider = samples.at(group).ratios;
    if (static_cast<int64_t>(wider.size()) < kFewest)
        for (const auto& [other, more] : samples)
            if (other != group && is_product(other.kind) == is_product(group.kind))
                wider.insert(wider.end(), more.ratios.begin(), more.ratios.end());
    return wider;
}

}  // namespace

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

InferredArithmetic class_from(const ArithmeticSamples& samples, const ArithmeticGroup& group) {
    const auto class_of = [&](const std::vector<ClassRatios>& runs) {
        return is_product(group.kind) ? product_class_of(runs, group.dtype)
                                      : vector_class_of(runs, group.dtype);
    };
    const std::vector<ClassRatios> wider = widened_sample(samples, group);
    const InferredArithmetic found = class_of(wider);
    const std::vector<ClassRatios>& own = samples.at(group).ratios;
    if (wider.size() == own.size()) return found;
    // Few runs that are more precise than their like need no excuse.
    const InferredArithmetic alone = class_of(own);
    return is_more_precise(alone, found) ? alone : found;
}

bool is_settled(const ArithmeticSamples& samples,
                const ArithmeticGroup& group,
                const InferredArithmetic& found,
                Tried tried) {
    const std::vector<ClassRatios> sample = widened_sample(samples, group);
    const auto column =
        static_cast<size_t>(found.product != nullptr ? found.product - product_classes().data()
                                                     : found.vector - vector_classes().data());
    if (!explains(sample, column)) return false;
    return found.product == nullptr || tried != Tried::kPlain || column < kPlainColumn ||
           log_score(sample, column) <= std::log(kBestFit) + kBetter;
}

}  // namespace npuscope::diagnose
