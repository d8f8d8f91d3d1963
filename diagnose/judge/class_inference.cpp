#include "diagnose/judge/class_inference.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "diagnose/judge/format_of_results.h"
#include "diagnose/judge/stated_arithmetic.h"
#include "diagnose/judge/two_products.h"

namespace npuscope::diagnose {

namespace {

/// A class explains a group when it explains all of the sample but this share, or one: a fault is
/// in few ops.
constexpr double kShare = 0.03;
/// A class more lenient than the tightest is plausible when the errors come near to its bounds:
/// more than half of the sample is over this share of them. Else it would be chosen to excuse a
/// few.
constexpr double kNear = 0.02;
/// Errors that spread are small at most elements.
constexpr double kNearSpread = 0.001;
/// By how much a class must fit better than one before it in the table, as a mean logarithm.
constexpr double kBetter = 0.05;
/// An op that a fault is in exceeds the limit by more.
constexpr double kFar = 3;
/// So many products that are exact in a class are no chance.
constexpr int64_t kFewestShown = 3;
/// Narrow operands, sums and steps show in many numbers: more than this share of some run's.
constexpr double kSpread = 0.05;
/// No class fits better than this.
constexpr double kBestFit = 0.25;

/// What is wrong in few elements, and far off there, is a fault and no other class.
bool is_off_in_few(const SampledRun& run, size_t column) {
    return run.ratios[column] > kFar && run.off_by[column] <= kSpread;
}

/// How far off a class is, on the whole: without regard to how well it fits, or how far one fault
/// is off.
double log_score(const std::vector<SampledRun>& sample, size_t column) {
    double sum = 0;
    for (const SampledRun& run : sample)
        sum += is_off_in_few(run, column) ? 0
                                          : std::log(std::clamp(run.ratios[column], kBestFit, 1e6));
    return sum / static_cast<double>(std::max<size_t>(sample.size(), 1));
}

bool is_near(const std::vector<SampledRun>& sample, size_t column, double share) {
    std::vector<double> ratios;
    ratios.reserve(sample.size());
    for (const SampledRun& run : sample)
        ratios.push_back(run.ratios[column]);
    if (ratios.empty()) return false;
    const auto middle = ratios.begin() + static_cast<ptrdiff_t>((ratios.size() - 1) / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle >= share;
}

/// Whether some products are to the bit what this class makes of their operands, which fp32 would
/// have made others of: one beside them that is just over its limit shows no more lenient class.
/// Operands of 16 bits no class rounds again.
bool is_shown_exactly(const std::vector<SampledRun>& sample, size_t column) {
    if (!is_product(sample.front().group.kind)) return false;
    const bool is_plain = column == kPlainColumn && size_of(sample.front().group.dtype) == 2;
    if (!is_plain && !is_exact_class(column)) return false;
    return std::ranges::count_if(sample, [&](const SampledRun& run) {
               return run.ratios[column] <= 1 && (is_plain || run.ratios[kPlainColumn] > kFar);
           }) >= kFewestShown;
}

/// One of the classes that are tried together, the one that fits best.
struct Stage {
    size_t column = 0;
    int bits = 0;     ///< of its results
    int steps = 0;    ///< bits of its steps or sums
    double near = 0;  ///< how near the errors must come to its bounds
};

/// Some run is off from fp32 in more than a few places: what is wrong in few elements alone is no
/// class.
bool is_spread(const std::vector<SampledRun>& sample) {
    return std::ranges::any_of(sample, [](const SampledRun& run) { return run.off > kSpread; });
}

/// Every run that the class does not explain is off in few places alone, and some is.
bool is_spoilt_in_few(const std::vector<SampledRun>& sample, size_t column) {
    const auto is_fine = [&](const SampledRun& run) {
        return run.ratios[column] <= 1 || is_off_in_few(run, column);
    };
    return count_within(sample, column) < std::ssize(sample) &&
           std::ranges::all_of(sample, is_fine);
}

/// It has narrow steps or sums, and no run has results that it could not give.
bool may_have_made(const Stage& stage, const std::vector<SampledRun>& sample) {
    return stage.steps < kFloat32.bits && std::ranges::all_of(sample, [&](const SampledRun& run) {
               return !tells_format(run) || run.bits <= stage.bits;
           });
}

/// The first stage that explains the sample; without one, that which explains most. 0 explained
/// when there is no stage.
/// A run that is left out as faulty counts as such where it is far off and another keeps to the
/// class that would show narrow steps: else a later stage of narrow steps that explains it as well
/// is taken.
std::pair<size_t, int64_t> choose(const std::vector<Stage>& stages,
                                  const std::vector<SampledRun>& sample) {
    const auto all = static_cast<int64_t>(sample.size());
    std::pair<size_t, int64_t> found{stages.empty() ? 0 : stages.front().column, -1};
    bool but_one = false;
    for (const Stage& stage : stages) {
        const int64_t within = count_within(sample, stage.column);
        if (!is_near(sample, stage.column, stage.near)) continue;
        if (!but_one && is_spoilt_in_few(sample, stage.column)) return {stage.column, within};
        if (but_one && (within < all || !may_have_made(stage, sample))) continue;
        if (explains(sample, stage.column)) {
            if (within == all || is_shown_exactly(sample, stage.column) ||
                (is_shown(sample, stage.column) && are_far_or_within(sample, stage.column)))
                return {stage.column, within};
            but_one = true;
            found = {stage.column, within};
        } else if (within > found.second) {
            found = {stage.column, within};
        }
    }
    return found;
}

/// Beside results that are in a format, one or two that a fault makes a little too far off do not
/// speak for a class whose results are in another.
bool explains_most(const std::vector<SampledRun>& sample, int64_t within) {
    constexpr double kMost = 0.9;
    return static_cast<double>(within) >= kMost * static_cast<double>(sample.size());
}

/// Chooses among the classes of results of `bits`, if these are known and one of them explains the
/// sample, else among all that can give so many. `stages_of` gives the stages whose columns it is
/// asked for.
template <class Class, class StagesOf>
std::pair<size_t, int64_t> choose_class(std::span<const Class> classes,
                                        const std::vector<SampledRun>& sample,
                                        int bits,
                                        const StagesOf& stages_of) {
    if (bits > 0) {
        std::vector<Stage> stages =
            stages_of([&](size_t column) { return classes[column].results.bits == bits; });
        for (Stage& stage : stages)
            stage.near = 0;
        const auto found = choose(stages, sample);
        if (!stages.empty() &&
            (explains(sample, found.first) || explains_most(sample, found.second)))
            return found;
    }
    const int least = std::max(bits, least_bits(sample));
    return choose(stages_of([&](size_t column) { return classes[column].results.bits >= least; }),
                  sample);
}

/// No 16-bit format is kept in the other.
bool may_be_kept_in(DType dtype, const NumberFormat& results) {
    if (dtype == DType::kBFloat16) return results.bits != kFloat16.bits;
    return dtype != DType::kFloat16 || results.bits != kBFloat16.bits;
}

/// Steps in float64 are for results of float64 alone.
bool may_give(const VectorClass& by, DType dtype) {
    return may_be_kept_in(dtype, by.results) &&
           (dtype == DType::kFloat64 || by.steps.bits < kFloat64.bits);
}

/// The class that rounds operands to as many bits as that of `column`, in another range, and
/// explains all of the sample as well.
const ProductClass* tied_with(size_t column, const std::vector<SampledRun>& sample) {
    const auto classes = product_classes();
    const ProductClass& own = classes[column];
    for (size_t other = 0; other < classes.size(); ++other) {
        const ProductClass& by = classes[other];
        if (other == column || by.stage != own.stage || by.rounding != own.rounding ||
            by.operands.bits != own.operands.bits || by.operands == own.operands ||
            by.results != own.results || by.sums != own.sums)
            continue;
        if (count_within(sample, other) == std::ssize(sample)) return &by;
    }
    return nullptr;
}

InferredArithmetic product_class_of(const std::vector<SampledRun>& sample,
                                    int bits,
                                    const ArithmeticGroup& group) {
    const auto classes = product_classes();
    const bool may_be_narrow = is_spread(sample);
    const auto stages_of = [&](const auto& is_asked) {
        std::vector<Stage> stages;
        for (size_t column = 0; column < classes.size(); ++column) {
            if (!is_asked(column) || !may_be_kept_in(group.dtype, classes[column].results))
                continue;
            if (!may_be_narrow && column > kPlainColumn && classes[column].spread <= 0) continue;
            if (group.dtype != DType::kFloat64 && classes[column].sums.bits >= kFloat64.bits)
                continue;
            // Matrix products are not transformed.
            if (group.kind == OpKind::kProduct && classes[column].spread > 0) continue;
            if (!stages.empty() && classes[stages.back().column].stage == classes[column].stage) {
                size_t& best = stages.back().column;
                if (log_score(sample, column) < log_score(sample, best) - kBetter) best = column;
            } else {
                stages.push_back({column});
            }
        }
        for (Stage& stage : stages) {
            stage.bits = classes[stage.column].results.bits;
            stage.steps = classes[stage.column].sums.bits;
        }
        for (size_t i = 1; i < stages.size(); ++i)
            stages[i].near = classes[stages[i].column].spread > 0 ? kNearSpread : kNear;
        return stages;
    };
    const std::vector<SampledRun> runs = by_libraries(sample);
    const auto [column, within] = choose_class(classes, runs, bits, stages_of);
    return {.product = &classes[column],
            .tied_product = tied_with(column, runs),
            .sampled = static_cast<int64_t>(sample.size()),
            .within = within};
}

InferredArithmetic vector_class_of(const std::vector<SampledRun>& sample, int bits, DType dtype) {
    const auto classes = vector_classes();
    const bool may_be_narrow = is_spread(sample);
    const auto stages_of = [&](const auto& is_asked) {
        std::vector<Stage> stages;
        for (size_t column = 0; column < classes.size(); ++column)
            if (is_asked(column) && may_give(classes[column], dtype) &&
                (may_be_narrow || column <= kPlainColumn))
                stages.push_back({column,
                                  classes[column].results.bits,
                                  classes[column].steps.bits,
                                  stages.empty() ? 0 : kNear});
        return stages;
    };
    const auto [column, within] = choose_class(classes, sample, bits, stages_of);
    return {.vector = &classes[column],
            .sampled = static_cast<int64_t>(sample.size()),
            .within = within};
}

/// Of two classes of one kind, the first the more precise one, and found in its sample without
/// exception, or shown to the bit.
bool is_more_precise(const InferredArithmetic& one,
                     const std::vector<SampledRun>& sample,
                     const InferredArithmetic& other) {
    const bool is_shown_there =
        one.product != nullptr && is_shown_exactly(sample, column_of(*one.product));
    if (one.within < one.sampled && !is_shown_there) return false;
    return one.product != nullptr ? is_as_precise(*one.product, *other.product) &&
                                        !is_as_precise(*other.product, *one.product)
                                  : is_as_precise(*one.vector, *other.vector) &&
                                        !is_as_precise(*other.vector, *one.vector);
}

/// Products of the other kind that give out the same dtype.
std::vector<SampledRun> like_products(const ArithmeticSamples& samples,
                                      const ArithmeticGroup& group) {
    ArithmeticGroup other = group;
    other.kind = group.kind == OpKind::kProduct ? OpKind::kConvolution : OpKind::kProduct;
    const auto found = samples.find(other);
    return found == samples.end() ? std::vector<SampledRun>() : found->second.runs;
}

/// Groups of few runs with their like.
std::vector<SampledRun> widened_sample(const ArithmeticSamples& samples,
                                       const ArithmeticGroup& group) {
    std::vector<SampledRun> wider = samples.at(group).runs;
    if (static_cast<int64_t>(wider.size()) < kFewestOfKind)
        for (const auto& [other, more] : samples)
            if (other != group && is_product(other.kind) == is_product(group.kind))
                wider.insert(wider.end(), more.runs.begin(), more.runs.end());
    return wider;
}

}  // namespace

const ProductClass& InferredArithmetic::of_products() const {
    if (product == nullptr)
        throw Error(ErrorKind::kInternal, "the class of ops is none of products");
    return *product;
}

int InferredArithmetic::fewest_bits() const {
    if (vector != nullptr) return diagnose::fewest_bits(*vector);
    int bits = diagnose::fewest_bits(of_products());
    for (const ProductClass* each : {other_product, tied_product})
        if (each != nullptr) bits = std::min(bits, diagnose::fewest_bits(*each));
    return bits;
}

const VectorClass& InferredArithmetic::of_vectors() const {
    if (vector == nullptr)
        throw Error(ErrorKind::kInternal, "the class of products is none of ops");
    return *vector;
}

std::string InferredArithmetic::name() const {
    if (product == nullptr) return std::string(vector->name);
    std::string name(product->name);
    if (other_product != nullptr) name += ", or " + std::string(other_product->name);
    return name;
}

int64_t count_within(const std::vector<SampledRun>& sample, size_t column) {
    return std::ranges::count_if(sample,
                                 [&](const SampledRun& run) { return run.ratios[column] <= 1; });
}

bool is_shown(const std::vector<SampledRun>& sample, size_t column) {
    return std::ranges::any_of(
        sample, [&](const SampledRun& run) { return run.shows_steps && run.ratios[column] <= 1; });
}

bool are_far_or_within(const std::vector<SampledRun>& sample, size_t column) {
    return std::ranges::all_of(sample, [&](const SampledRun& run) {
        return run.ratios[column] <= 1 || run.ratios[column] > kFar;
    });
}

bool explains(const std::vector<SampledRun>& sample, size_t column) {
    const auto sampled = static_cast<int64_t>(sample.size());
    const int64_t outside = sampled - count_within(sample, column);
    if (outside == 0) return true;
    if (static_cast<double>(outside) <= kShare * static_cast<double>(sampled)) return true;
    return outside == 1 && sampled > 1 &&
           (are_far_or_within(sample, column) || is_shown_exactly(sample, column));
}

InferredArithmetic class_from(const ArithmeticSamples& samples, const ArithmeticGroup& group) {
    const int bits = bits_of_results(samples, group);
    const auto class_of = [&](const std::vector<SampledRun>& runs) {
        return is_product(group.kind) ? product_class_of(runs, bits, group)
                                      : vector_class_of(runs, bits, group.dtype);
    };
    const std::vector<SampledRun> wider = widened_sample(samples, group);
    const InferredArithmetic found = class_of(wider);
    const std::vector<SampledRun>& own = samples.at(group).runs;
    if (is_product(group.kind) && !is_plainly_shown(found))
        if (const auto both =
                two_product_classes(by_libraries(own), by_libraries(like_products(samples, group))))
            return *both;
    if (wider.size() == own.size()) return found;
    // Few runs that are more precise than their like need no excuse, nor do such that show a class
    // to the bit which their like do not have.
    const InferredArithmetic alone = class_of(own);
    const bool parts = found.product != nullptr &&
                       count_within(by_libraries(own), column_of(*found.product)) < alone.within;
    // PyTorch lets cuDNN round what convolutions take in, and no other library that of its
    // products.
    const bool is_usual = group.kind == OpKind::kConvolution &&
                          alone.product == &cudnn_product_class() && alone.within == alone.sampled;
    // What explains neither has no say over what explains these.
    const bool is_unexplained = found.product != nullptr &&
                                !explains(by_libraries(wider), column_of(*found.product)) &&
                                explains(by_libraries(own), column_of(*alone.product));
    return is_unexplained || is_more_precise(alone, by_libraries(own), found) ||
                   (parts && (is_usual || is_plainly_shown(alone)))
               ? alone
               : found;
}

bool is_settled(const ArithmeticSamples& samples,
                const ArithmeticGroup& group,
                const InferredArithmetic& found,
                Tried tried) {
    const bool multiplies = is_product(group.kind);
    const std::vector<SampledRun> own = widened_sample(samples, group);
    const std::vector<SampledRun> sample = multiplies ? by_libraries(own) : own;
    const auto column = found.product != nullptr
                            ? column_of(*found.product)
                            : static_cast<size_t>(found.vector - vector_classes().data());
    if (found.other_product != nullptr) return tried != Tried::kPlain;
    if (!explains(sample, column)) return false;
    // The results' format asks for classes that are tried last.
    if (tried != Tried::kAll && bits_of_results(samples, group) > 0) return false;
    return found.product == nullptr || tried != Tried::kPlain || column < kPlainColumn ||
           log_score(sample, column) <= std::log(kBestFit) + kBetter;
}

void follow_stored_wider(std::map<ArithmeticGroup, InferredArithmetic>& classes) {
    for (auto& [group, inferred] : classes) {
        if (group.kind != OpKind::kVector || group.dtype != DType::kBFloat16) continue;
        const auto wider = classes.find({group.kind, DType::kFloat32, group.computed_in});
        if (wider == classes.end()) continue;
        const VectorClass& found = wider->second.of_vectors();
        if (found.steps == kBFloat16 && is_as_precise(inferred.of_vectors(), found))
            inferred.vector = &found;
    }
}

}  // namespace npuscope::diagnose
