#include "diagnose/judge/sampled_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/form_distance.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/product_error.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

bool rounds_alike(const ProductClass& one, const ProductClass& other) {
    return one.rounding == other.rounding && one.operands.bits == other.operands.bits &&
           one.operands.lowest == other.operands.lowest;
}

bool is_tried(const ProductClass& by, size_t column, DType dtype, Tried tried) {
    if (tried == Tried::kAll) return true;
    const bool is_first = by.stage <= product_classes()[kPlainColumn].stage;
    return column == kPlainColumn || (is_first && tried == Tried::kFirst) ||
           (column < kPlainColumn && dtype == DType::kFloat64);
}

bool is_tried(const VectorClass&, size_t column, DType dtype, Tried tried) {
    return tried == Tried::kAll || column == kPlainColumn ||
           (column < kPlainColumn && dtype == DType::kFloat64);
}

/// So many elements of a product tell its class.
constexpr int64_t kToldBy = int64_t{1} << 12;
/// A form is told by one run where all others are so much further off.
constexpr double kClearly = 3;
/// What is as far off in the next form, but for this, is off by something else.
constexpr double kNearly = 0.99;
/// So many products are added up before a Cube rounds.
constexpr int64_t kCubeBlock = 16;
/// Of a run's numbers, that must have a format's bits: a fault may be in few.
constexpr double kMostNumbers = 0.99;

/// Of significand.
int bits_needed(double value) {
    if (kBFloat16.rounded(value) == value) return kBFloat16.bits;
    return kFloat16.rounded(value) == value ? kFloat16.bits : kFloat32.bits;
}

int64_t count_float_tensors(const OpRun& run) {
    return std::ranges::count_if(run.arguments, [](const NamedValue& argument) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        return tensor != nullptr && is_float(tensor->dtype());
    });
}

/// Fewer numbers may round to where one rounding takes them, whatever the steps.
constexpr int64_t kFewestToShow = 8;

/// As SampledRun::shows_steps. A function of one number may be one step of a unit.
bool shows_steps(const OpRun& run) {
    if (is_product(kind_of(*run.op)))
        return contraction_length(run, run.results.front().name) > kCubeBlock;
    if (is_rounded_once(*run.op) ||
        std::ranges::all_of(run.results, [](const RecordedResult& result) {
            return result.elements.numel() < kFewestToShow;
        }))
        return false;
    return count_float_tensors(run) != 1 || !DisturbedRuns(run).is_elementwise();
}

bool gives_floats(const OpRun& run) {
    return std::ranges::any_of(run.results, [](const RecordedResult& result) {
        return is_float(result.elements.dtype());
    });
}

struct RunRatios {
    ClassRatios ratios;       ///< what was not tried fits nothing: infinity
    ClassRatios either{};     ///< as SampledRun::either
    ClassRatios off_by{};     ///< as SampledRun::off_by
    bool is_telling = false;  ///< bits that equal the exact ones fit any class
    double off = 0;           ///< as SampledRun::off
};

/// Elements that are not 0.
int64_t count_numbers(const Tensor& tensor) {
    return visit_dtype(tensor.dtype(), [&]<class T>() {
        return static_cast<int64_t>(
            std::ranges::count_if(tensor.as<T>(), [](T value) { return to_double(value) != 0; }));
    });
}

/// So many elements, of those that are not 0.
double share_of_numbers(int64_t elements, const RecordedResult& result) {
    const int64_t numbers = std::max<int64_t>(1, count_numbers(result.elements));
    return static_cast<double>(elements) / static_cast<double>(numbers);
}

/// As SampledRun::off, where `error` (ProductError, VectorError) holds the run to fp32.
template <class Error, class Class>
double share_off(const OpRun& run, Error& error, const Class& plain) {
    double share = 0;
    for (const RecordedResult& result : run.results) {
        if (!is_float(result.elements.dtype())) continue;
        const auto found = error.judge(plain, result, true);
        if (!found || found->ratio <= 1) continue;
        share = std::max(share, share_of_numbers(found->over, result));
    }
    return share;
}

/// The largest over the results of what the nearer of two classes gives; infinity where one of them
/// was not tried.
double nearer(const std::vector<double>& one, const std::vector<double>& other) {
    if (one.empty() || one.size() != other.size()) return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (size_t i = 0; i < one.size(); ++i)
        worst = std::max(worst, std::min(one[i], other[i]));
    return worst;
}

/// None of the classes tried yet.
RunRatios no_ratios() {
    RunRatios found;
    found.ratios.fill(std::numeric_limits<double>::infinity());
    found.off_by.fill(1);
    return found;
}

void take(RunRatios& found, size_t column, double ratio) {
    found.ratios[column] = ratio;
    found.is_telling = found.is_telling || ratio > 0;
}

RunRatios ratios_of_product(const OpRun& run, Tried tried) {
    const DType dtype = group_of(run).dtype;
    RunRatios found = no_ratios();
    // Classes that round operands alike share what is computed, and follow each other.
    ProductError error(run);
    std::array<std::vector<double>, kMostClasses> by_result;
    const auto classes = product_classes();
    std::vector<bool> done(classes.size());
    for (size_t first = 0; first < classes.size(); ++first) {
        for (size_t i = first; i < classes.size(); ++i) {
            if (done[i] || !rounds_alike(classes[i], classes[first])) continue;
            done[i] = true;
            if (!is_tried(classes[i], i, dtype, tried)) continue;
            found.off_by[i] = 0;
            for (const RecordedResult& result : run.results) {
                const auto judged = error.judge(classes[i], result, false);
                if (!judged) continue;
                by_result[i].push_back(judged->ratio);
                if (judged->over > 0)
                    found.off_by[i] =
                        std::max(found.off_by[i], share_of_numbers(judged->over, result));
            }
            take(found, i, by_result[i].empty() ? 0 : std::ranges::max(by_result[i]));
        }
        error.forget_rounded();
    }
    for (size_t i = 0; i < classes.size(); ++i)
        found.either[i] = nearer(by_result[kPlainColumn], by_result[i]);
    if (found.ratios[kPlainColumn] > 1) found.off = share_off(run, error, classes[kPlainColumn]);
    return found;
}

RunRatios ratios_of_vector(const OpRun& run, Tried tried) {
    const DType dtype = group_of(run).dtype;
    RunRatios found = no_ratios();
    VectorError error(run);
    const auto classes = vector_classes();
    for (size_t i = 0; i < classes.size(); ++i)
        if (is_tried(classes[i], i, dtype, tried))
            take(found, i, error.ratio(classes[i]).value_or(0));
    if (found.ratios[kPlainColumn] > 1) found.off = share_off(run, error, classes[kPlainColumn]);
    return found;
}

RunRatios ratios_of(const OpRun& run, Tried tried) {
    if (!is_product(kind_of(*run.op))) return ratios_of_vector(run, tried);
    RunRatios found = ratios_of_product(run, tried);
    // Exact in fp32, not in what rounds operands: that tells.
    if (!found.is_telling && tried == Tried::kPlain) return ratios_of_product(run, Tried::kFirst);
    return found;
}

size_t place_of_least(const std::vector<double>& values) {
    return static_cast<size_t>(std::ranges::min_element(values) - values.begin());
}

struct ChosenForm {
    size_t best = 0;
    RunRatios ratios;
    /// How many times further off the next one is.
    double next = std::numeric_limits<double>::infinity();
    bool is_told = true;  ///< it is nearer than the others
};

/// The form that fits best; the first one where that fits fp32, since forms differ by more.
ChosenForm choose_form(const std::vector<OpRun>& forms, Tried tried) {
    std::vector<RunRatios> ratios = {ratios_of(forms.front(), tried)};
    for (size_t form = 1; form < forms.size(); ++form)
        ratios.push_back(ratios_of(forms[form], tried));
    const auto fits = [](const RunRatios& each) { return each.ratios[kPlainColumn] <= 1; };
    if (fits(ratios.front()))
        return {.ratios = ratios.front(),
                .is_told = std::none_of(ratios.begin() + 1, ratios.end(), fits)};
    // The tightest class tells forms apart best.
    std::vector<double> off;
    off.reserve(ratios.size());
    for (const RunRatios& each : ratios)
        off.push_back(each.ratios[kPlainColumn]);
    const size_t by_ratio = place_of_least(off);
    const double least = std::exchange(off[by_ratio], std::numeric_limits<double>::infinity());
    const double next = std::ranges::min(off);
    if (least <= 1) return {by_ratio, ratios[by_ratio], next};
    // Beside coarser errors all elements tell more than the worst one.
    std::vector<double> distances;
    distances.reserve(forms.size());
    for (const OpRun& form : forms)
        distances.push_back(distance_to(form));
    const size_t best = place_of_least(distances);
    const double nearest = std::exchange(distances[best], std::numeric_limits<double>::infinity());
    return {.best = best,
            .ratios = ratios[best],
            .next = best == by_ratio ? next / least : 1,
            .is_told = kNearly * std::ranges::min(distances) > nearest};
}

}  // namespace

std::string name_of(const ArithmeticGroup& group) {
    return fmt::format("{} ({})",
                       group.kind == OpKind::kProduct       ? "matrix products"
                       : group.kind == OpKind::kConvolution ? "convolutions"
                                                            : "other ops",
                       name_of(group.dtype));
}

std::pair<int, int64_t> result_bits(const OpRun& run) {
    std::map<int, int64_t> numbers;
    int64_t all = 0;
    int64_t most = 0;
    for (const RecordedResult& result : run.results)
        most = std::max(most, result.elements.numel());
    for (const RecordedResult& result : run.results) {
        // A norm's statistics stay in float32 where what it normalises does not.
        if (result.elements.dtype() != DType::kFloat32 || 2 * result.elements.numel() < most)
            continue;
        const Tensor kept =
            result.ignored ? result.ignored->rest_of(result.elements) : result.elements;
        for (const float value : kept.as<float>())
            if (value != 0 && std::isfinite(value)) {
                ++numbers[bits_needed(value)];
                ++all;
            }
    }
    int64_t fitting = 0;
    for (const auto& [bits, count] : numbers) {
        fitting += count;
        if (static_cast<double>(fitting) >= kMostNumbers * static_cast<double>(all))
            return {bits, all};
    }
    return {0, 0};
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

std::string name_of_forms(const backend::Op& op) {
    return op.name().substr(0, op.name().find("_backward"));
}

std::optional<SampledRun> sampled_run(const SideOp& op, Tried tried, const OpenKinds& open) {
    try {
        std::string why_not;
        auto run = load_run(*op.op, why_not, op.inputs, false, false);
        if (!run || !gives_floats(*run) || !open[is_product(kind_of(*run->op))])
            return std::nullopt;
        // What rounds between its steps tells nothing of one step.
        if (run->op->row->is_composed || may_take_narrow_steps(*run)) return std::nullopt;
        if (has_ignored(*run)) {
            settle_ignored(*run);
        } else if (is_product(kind_of(*run->op))) {
            run = leading_rows(std::move(*run), kToldBy);
        } else if (auto part = part_of(*run, kTellingElements)) {
            run = std::move(part->run);
        }
        if (run->wide.empty()) run->wide = widened(run->arguments);
        const auto [bits, numbers] = result_bits(*run);
        SampledRun sampled{.group = group_of(*run),
                           .ratios = {},
                           .either = {},
                           .off_by = {},
                           .bits = bits,
                           .numbers = numbers,
                           .shows_steps = shows_steps(*run),
                           .op = &op,
                           .name = name_of_forms(*run->op)};
        const std::vector<OpRun> forms = forms_of(std::move(*run));
        sampled.forms = forms.size();
        const auto [best, ratios, next, is_told] = choose_form(forms, tried);
        sampled.best = best;
        if (sampled.best > 0) {
            const NamedValue& word = forms[sampled.best].arguments.back();
            sampled.form = word.name + "=" + std::get<std::string>(word.value);
        }
        sampled.is_clear = next >= kClearly;
        sampled.tells_form = sampled.forms > 1 && is_told;
        if (!ratios.is_telling) return std::nullopt;
        sampled.ratios = ratios.ratios;
        sampled.either = ratios.either;
        sampled.off_by = ratios.off_by;
        sampled.off = ratios.off;
        return sampled;
    } catch (const Error&) {
        // What cannot be read is told where it is compared.
        return std::nullopt;
    }
}

}  // namespace npuscope::diagnose
