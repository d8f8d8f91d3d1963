#include "diagnose/judge/product_error.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/fault_pattern.h"
#include "diagnose/judge/furthest_off.h"
#include "diagnose/judge/off_grid.h"

namespace npuscope::diagnose {

namespace {

/// Of an operand that is rounded by an unknown rule: toward zero errs by twice a half unit.
constexpr double kAnyRounding = 2;
/// For classes that are not emulated to the last bit.
constexpr double kUncertain = 1.5;
/// Of convolutions by transforms: how far errors reach, and how much larger they are.
constexpr int64_t kTransformSpread = 8;
constexpr double kTransformGrowth = 8;
/// What always is allowed of a result, in its half units.
constexpr double kHalfUnits = 4;
constexpr double kLevelsOfInt8 = 254;

/// A number, flag or tensor of one element.
int64_t whole_named(const NamedValues& values, const char* name, int64_t without) {
    const Value* value = find(values, name);
    if (value == nullptr) return without;
    if (const auto* number = std::get_if<int64_t>(value)) return *number;
    if (const auto* flag = std::get_if<bool>(value)) return *flag ? 1 : 0;
    return without;
}

/// Libraries compute convolutions of small windows that move by one as products of transforms,
/// layer by layer, whatever the others are computed by.
bool may_be_transformed(const OpRun& run) {
    const Tensor* weight = tensor_named(run.arguments, "weight");
    if (kind_of(*run.op) != OpKind::kConvolution || weight == nullptr) return false;
    const Value* stride = find(run.arguments, "stride");
    const auto* steps = stride == nullptr ? nullptr : std::get_if<IntList>(stride);
    const bool by_one =
        steps == nullptr || std::ranges::all_of(*steps, [](int64_t step) { return step == 1; });
    bool has_window = false;
    for (int64_t axis = 2; axis < weight->ndim(); ++axis)
        has_window = has_window || weight->dim(axis) > 1;
    return by_one && has_window;
}

/// Of the sums' unit, how often the sum of magnitudes may be off by it.
double terms_of(const ProductClass& by, int64_t length) {
    return by.growth * (2 + walk_of(static_cast<double>(length)));
}

/// The largest magnitude within `reach` places along each axis behind the first two.
std::vector<double> spread_over(const Tensor& tensor, int64_t reach) {
    const auto values = tensor.as<double>();
    std::vector<double> current(values.begin(), values.end());
    int64_t stride = 1;
    for (int64_t axis = tensor.ndim() - 1; axis >= 2; --axis) {
        const int64_t size = tensor.dim(axis);
        std::vector<double> next(current.size());
        for (size_t i = 0; i < current.size(); ++i) {
            const auto index = static_cast<int64_t>(i);
            const int64_t at = (index / stride) % size;
            double largest = 0;
            for (int64_t other = std::max<int64_t>(0, at - reach);
                 other <= std::min(size - 1, at + reach);
                 ++other)
                largest =
                    std::max(largest, current[static_cast<size_t>(index + (other - at) * stride)]);
            next[i] = largest;
        }
        current = std::move(next);
        stride *= size;
    }
    return current;
}

}  // namespace

int64_t contraction_length(const OpRun& run, const std::string& result) {
    const Tensor* weight = tensor_named(run.arguments, "weight");
    const Tensor* gradient = tensor_named(run.arguments, "grad_output");
    if (kind_of(*run.op) == OpKind::kConvolution && weight != nullptr && weight->ndim() > 1) {
        const bool backward = gradient != nullptr && gradient->ndim() > 1;
        if (backward && result != "result0")
            return gradient->numel() / std::max<int64_t>(gradient->dim(1), 1);
        // Along the channels that the weight has first, or those behind them.
        const bool transposed = whole_named(run.arguments, "transposed", 0) != 0;
        const int64_t groups = std::max<int64_t>(whole_named(run.arguments, "groups", 1), 1);
        const int64_t over = transposed == backward ? weight->dim(0) : weight->dim(1) * groups;
        return std::max<int64_t>(weight->numel() / std::max<int64_t>(over, 1), 1);
    }
    int64_t length = 1;
    for (const NamedValue& argument : run.arguments) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr || is_bias(*run.op, argument.name) || tensor->ndim() == 0) continue;
        length = tensor->dim(-1);
        // A batch that is added up as well.
        if (run.op->name().starts_with("addbmm")) length *= tensor->dim(0);
        break;
    }
    return std::max<int64_t>(length, 1);
}

const Results* ProductError::exact(const ProductClass& by, Rounded which) {
    if (!is_emulated(by)) which = Rounded::kNothing;
    if (which == Rounded::kNothing) return exact_results(run_);
    ProductClass as = by;
    if (by.rounding == OperandRounding::kSaturated && is_within(by.operands))
        as.rounding = OperandRounding::kNearest;
    const std::string key = fmt::format("{} {} {} {}",
                                        static_cast<int>(as.rounding),
                                        by.operands.bits,
                                        by.operands.lowest,
                                        static_cast<int>(which));
    const auto [place, fresh] = computed_.try_emplace(key);
    if (fresh)
        place->second = run(*run_.op, rounded_operands(run_, as, which), Device::reference64());
    return place->second ? &*place->second : nullptr;
}

const Results* ProductError::magnitude(double relative, double absolute, bool by_largest) {
    const std::string key = fmt::format("magnitude {} {} {}", relative, absolute, by_largest);
    const auto [place, fresh] = computed_.try_emplace(key);
    if (!fresh) return place->second ? &*place->second : nullptr;
    if (relative == 0 && absolute == 0 && is_large(run_)) {
        // A bound needs no more digits than float32 has.
        place->second = run(*run_.op,
                            magnitudes(with_floats_as(run_.wide, DType::kFloat32)),
                            Device::reference32());
        if (place->second) place->second = Results(widened(place->second->values()));
        return place->second ? &*place->second : nullptr;
    }
    place->second = run(*run_.op,
                        changed(magnitudes(run_.wide),
                                [&](const std::string& name, std::span<double> elements) {
                                    const double largest = by_largest ? largest_of(run_, name) : 0;
                                    for (double& element : elements)
                                        element += by_largest
                                                       ? largest * relative
                                                       : std::max(element * relative,
                                                                  element == 0 ? 0 : absolute);
                                }),
                        Device::reference64());
    return place->second ? &*place->second : nullptr;
}

/// Whether rounding to the format leaves all operands finite.
bool ProductError::is_within(const NumberFormat& format) {
    if (!largest_) {
        largest_ = 0;
        for (const NamedValue& argument : run_.wide)
            if (const auto* tensor = std::get_if<Tensor>(&argument.value);
                tensor != nullptr && tensor->dtype() == DType::kFloat64)
                largest_ = std::max(*largest_, largest_finite(*tensor));
    }
    return std::isfinite(format.rounded(*largest_));
}

bool ProductError::has_bias() const {
    return std::ranges::any_of(run_.wide, [&](const NamedValue& argument) {
        return is_bias(*run_.op, argument.name) && std::holds_alternative<Tensor>(argument.value);
    });
}

void ProductError::forget_rounded() {
    std::erase_if(computed_, [](const auto& each) { return !each.first.starts_with("magnitude"); });
    asked_.reset();
    bound_.reset();
}

double ProductError::largest_bias() const {
    double largest = 0;
    for (const NamedValue& argument : run_.wide)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value);
            tensor != nullptr && is_bias(*run_.op, argument.name) &&
            tensor->dtype() == DType::kFloat64)
            largest = std::max(largest, largest_finite(*tensor));
    return largest;
}

const ProductError::Bound* ProductError::bound(const ProductClass& by,
                                               Rounded which,
                                               const RecordedResult& result) {
    if (Asked asked{by, which, result.name}; asked_ != asked) {
        bound_.reset();
        bound_ = bound_of(by, which, result);
        asked_ = std::move(asked);
    }
    return bound_ ? &*bound_ : nullptr;
}

std::optional<ProductError::Bound> ProductError::bound_of(const ProductClass& by,
                                                          Rounded which,
                                                          const RecordedResult& result) {
    const Results* exact_results = exact(by, which);
    const Results* sizes = magnitude(0, 0, false);
    if (exact_results == nullptr || sizes == nullptr) return std::nullopt;
    const Tensor* y = expected_of(*exact_results, result);
    const Tensor* size = expected_of(*sizes, result);
    if (y == nullptr || size == nullptr || y->dtype() != DType::kFloat64) return std::nullopt;
    const Tensor* disturbed = nullptr;
    if (by.rounding == OperandRounding::kSomehow || by.rounding == OperandRounding::kScaled) {
        const bool scaled = by.rounding == OperandRounding::kScaled;
        const Results* results = scaled ? magnitude(1 / kLevelsOfInt8, 0, true)
                                        : magnitude(kAnyRounding * by.operands.unit(),
                                                    by.operands.half_unit(0) * kAnyRounding,
                                                    false);
        disturbed = results == nullptr ? nullptr : expected_of(*results, result);
        if (disturbed == nullptr) return std::nullopt;
    }
    std::span<const double> sum_sizes = size->as<double>();
    if (by.spread > 0) {
        std::vector<double>& wide = spread_[result.name];
        if (wide.empty()) wide = spread_over(*size, by.spread);
        sum_sizes = wide;
    }
    const double terms = terms_of(by, contraction_length(run_, result.name));
    const double unit = by.sums.unit();
    const HalfUnits half_units(format_of(result.elements.dtype()), by.results);
    const std::span<const double> exact_values = y->as<double>();
    const double bias = largest_bias();
    const double factor =
        by.rounding == OperandRounding::kSomehow || by.sums.bits < kFloat32.bits ? kUncertain : 1;
    const double least = by.sums.lost_near_zero();
    const std::span<const double> plain = size->as<double>();
    AllowedErrors limits(exact_values.size());
    for (size_t i = 0; i < limits.size(); ++i) {
        const double value = std::abs(exact_values[i]);
        // Twice a half unit of float32 for what leaves the sums.
        double allowed = factor * (unit * (terms * sum_sizes[i] + value) + least);
        if (disturbed != nullptr) allowed += disturbed->as<double>()[i] - plain[i];
        allowed += half_units.of(value + allowed);
        // The product may be rounded to the result's dtype before the bias is added.
        if (bias > 0) allowed += half_units.of(value + bias);
        limits[i] = allowed;
    }
    const NumberFormat& narrow = by.results.bits < by.operands.bits ? by.results : by.operands;
    const compare::Introduced error = measure_error(result, exact_values, narrow, limits);
    return Bound{exact_values, std::move(limits), error};
}

std::optional<compare::Introduced> ProductError::judge_as(const ProductClass& by,
                                                          Rounded which,
                                                          const RecordedResult& result,
                                                          bool details,
                                                          const Tightness& tight) {
    const Bound* found = bound(by, which, result);
    if (found == nullptr) return std::nullopt;
    const NumberFormat& narrow = by.results.bits < by.operands.bits ? by.results : by.operands;
    std::span<const double> limit = found->limit;
    AllowedErrors other_limit;
    compare::Introduced error = found->error;
    const auto hold_to = [&](AllowedErrors other) {
        other_limit = std::move(other);
        limit = other_limit;
        error = measure_error(result, found->exact, narrow, limit);
    };
    if (tight.share < 1)
        hold_to(tightened(limit,
                          tight.share,
                          tight.half_units > 0 ? tight.half_units : kHalfUnits,
                          result,
                          by.results,
                          found->exact));
    if (error.ratio <= 1)
        if (auto on_grid = without_off_grid(result, found->exact, by.results, limit))
            hold_to(std::move(*on_grid));
    if (!details) return error;
    describe(result, found->exact, limit, error);
    error.told = told_by_pattern(result, found->exact, limit);
    const int64_t length = contraction_length(run_, result.name);
    error.arithmetic = by.name;
    error.formula = fmt::format("2^-{} ({:.3g} sum|a||b| + |y|) + half a unit, K = {}",
                                by.sums.bits,
                                terms_of(by, length),
                                length);
    if (tight.share < 1) error.formula = fmt::format("{:.2g} of {}", tight.share, error.formula);
    return error;
}

const RecordedResult* ProductError::part_result(const RecordedResult& result,
                                                std::span<const double> exact) {
    const bool is_first = &result == &run_.results.front();
    if (!std::exchange(is_part_known_, true) && is_large(run_)) {
        const auto also = is_first ? furthest_off(result.elements, exact, kTellingElements)
                                   : std::vector<int64_t>();
        part_run_ = part_of(run_, kTellingElements, also);
        if (part_run_) part_ = std::make_unique<ProductError>(part_run_->run);
    }
    return part_ ? recorded_result(part_run_->run, result.name) : nullptr;
}

std::optional<Closeness> ProductError::closeness(const ProductClass& by,
                                                 const RecordedResult& result,
                                                 HonestRuns which,
                                                 double enough) {
    const Bound* found = bound(by, Rounded::kOperands, result);
    if (found == nullptr) return std::nullopt;
    Closeness closeness{.recorded = found->error.ratio};
    // Sums that are exact here may be rounded by another algorithm, convolutions as products of
    // transforms.
    const double roundings = kind_of(*run_.op) == OpKind::kConvolution ? 2 : 1;
    closeness.here = roundings / (1 + terms_of(by, contraction_length(run_, result.name)));
    if (closeness.times() <= enough) return closeness;
    if (const RecordedResult* some = part_result(result, found->exact)) {
        if (const auto found_here = part_->closeness(by, *some, which, 0))
            closeness.here = std::max(closeness.here, found_here->here);
        return closeness;
    }
    const HonestResult here{.result = result, .results = by.results, .steps = by.sums};
    std::vector<Shares> own_shares;
    for (const Results& own :
         honest_runs(*run_.op, rounded_operands(run_, by, Rounded::kOperands), by.sums, which))
        if (const auto shares = shares_of_own(here, own, found->exact, found->limit)) {
            closeness.here = std::max(closeness.here, shares->most);
            own_shares.push_back(*shares);
        }
    closeness.singled_out =
        singled_out(result, found->exact, found->limit, closeness.recorded, own_shares);
    return closeness;
}

std::optional<ResultInLimit> ProductError::in_limit(const ProductClass& by,
                                                    const RecordedResult& result) {
    const Bound* found = bound(by, Rounded::kOperands, result);
    if (found == nullptr) return std::nullopt;
    return ResultInLimit{.run = run_,
                         .of = {.result = result, .results = by.results, .steps = by.sums},
                         .exact = found->exact,
                         .limit = found->limit,
                         .runs_here = [this, &by](HonestRuns which) {
                             const auto operands = rounded_operands(run_, by, Rounded::kOperands);
                             return honest_runs(*run_.op, operands, by.sums, which);
                         }};
}

std::optional<ResultInLimit> ProductError::part_in_limit(const ProductClass& by,
                                                         const RecordedResult& result) {
    const Results* results = exact(by, Rounded::kOperands);
    const Tensor* y = results == nullptr ? nullptr : expected_of(*results, result);
    if (y == nullptr || y->dtype() != DType::kFloat64) return std::nullopt;
    const RecordedResult* some = part_result(result, y->as<double>());
    return some != nullptr ? part_->in_limit(by, *some) : in_limit(by, result);
}

std::optional<compare::Introduced> ProductError::judge(const ProductClass& by,
                                                       const RecordedResult& result,
                                                       bool details,
                                                       const Tightness& tight) {
    std::optional<compare::Introduced> best =
        judge_as(by, Rounded::kOperands, result, details, tight);
    if (!best || best->ratio <= 1) return best;
    if (!is_emulated(by))
        return tight.by_likes ? best : by_transform(by, result, details, std::move(best));
    // An operand may be scaled before it is rounded, the bias be rounded as well; a bias gradient
    // is summed up without the Cube by some.
    for (const Rounded which : {Rounded::kScaled, Rounded::kBiasToo, Rounded::kNothing}) {
        if (which == Rounded::kScaled && !rounds_otherwise_scaled(run_)) continue;
        if (which == Rounded::kBiasToo && !has_bias()) continue;
        if (which == Rounded::kNothing && result.name != "result2") continue;
        const auto other = judge_as(by, which, result, details, tight);
        if (other && other->ratio < best->ratio) best = other;
    }
    return best->ratio > 1 && !tight.by_likes ? by_transform(by, result, details, std::move(best))
                                              : best;
}

std::optional<compare::Introduced> ProductError::by_transform(
    const ProductClass& by,
    const RecordedResult& result,
    bool details,
    std::optional<compare::Introduced> plain) {
    // Transforms in 16 bits would leave little of the result, and explain anything.
    if (by.spread > 0 || by.sums.bits < kFloat32.bits || !may_be_transformed(run_)) return plain;
    ProductClass transformed = by;
    transformed.spread = kTransformSpread;
    transformed.growth = kTransformGrowth;
    auto found = judge_as(transformed, Rounded::kOperands, result, details, {});
    return found && found->ratio <= 1 ? found : plain;
}

}  // namespace npuscope::diagnose
