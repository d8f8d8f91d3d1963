#include "diagnose/judge/vector_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/ir/real_number.h"
#include "diagnose/judge/chosen_places.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/fault_pattern.h"
#include "diagnose/judge/flushed.h"
#include "diagnose/judge/furthest_off.h"
#include "diagnose/judge/hidden_terms.h"
#include "diagnose/judge/moved_elements.h"
#include "diagnose/judge/norm_terms.h"
#include "diagnose/judge/off_grid.h"

namespace npuscope::diagnose {

namespace {

/// Of sums, products and choices of elements, which every chip rounds once.
constexpr double kOnce = 3;
constexpr double kFactor = 6;
/// What always is allowed, in half units of the result: of ops rounded once, and of others.
constexpr double kRounding = 2;
constexpr double kSteps = 4;
/// For steps in 16 bits, whose number and order differ more from chip to chip.
constexpr double kNarrow = 1.5;
/// The exact results are computed in float64 too, and are off by as much, in another order.
constexpr double kAsExact = 16;
/// As for products.
constexpr double kSumWalk = 4;

constexpr auto kRoundedOnce = std::to_array<std::string_view>({"Add",
                                                               "Sub",
                                                               "Mul",
                                                               "Muls",
                                                               "Adds",
                                                               "Axpy",
                                                               "Neg",
                                                               "Abs",
                                                               "Maximum",
                                                               "Minimum",
                                                               "Relu",
                                                               "ReluGrad",
                                                               "LeakyRelu",
                                                               "LeakyReluGrad",
                                                               "MaskedFill",
                                                               "SelectV2",
                                                               "HardtanhGrad",
                                                               "ThresholdGradV2D"});

/// Of the numbers that are no tensors: a chip may round them before it computes with them, and a
/// factor is one more product.
bool are_no_steps(const NamedValues& arguments) {
    return std::ranges::all_of(arguments, [](const NamedValue& argument) {
        const std::optional<double> number = real_of(argument.value);
        if (!number) return true;
        return argument.name == "alpha"
                   ? std::abs(*number) == 1
                   : static_cast<double>(static_cast<float>(*number)) == *number;
    });
}

}  // namespace

bool is_rounded_once(const backend::Op& op) {
    return !op.launches.empty() && std::ranges::all_of(op.launches, [](std::string_view name) {
        return std::ranges::find(kRoundedOnce, name) != kRoundedOnce.end() || moves(name);
    });
}

bool VectorError::is_one_rounding(const VectorClass& by) const {
    // What is chosen was rounded before, in any steps, and nothing is computed of it.
    if (only_moves(*run_.op)) return true;
    return by.steps.bits >= kFloat32.bits && is_rounded_once(*run_.op) &&
           are_no_steps(run_.arguments);
}

compare::Introduced VectorError::judge_whole(const VectorClass& by,
                                             const RecordedResult& result,
                                             const Tensor& exact,
                                             bool details) const {
    // A cast whose dtype was not recorded gives what its result holds.
    const DType recorded = result.elements.dtype();
    const bool is_cast = is_float(exact.dtype()) && !is_float(recorded);
    const Tensor wide = (is_cast ? exact.cast(recorded) : exact).cast(DType::kFloat64);
    compare::Introduced error = measure_error(result, wide.as<double>(), kFloat64, {});
    if (error.ratio > 1 && are_ties(run_, result, exact, by.steps).value_or(false)) {
        error.ratio = 0;
        error.reordered = true;
    }
    if (details) describe(result, wide.as<double>(), {}, error);
    error.arithmetic = "exact";
    error.formula = "equal";
    return error;
}

/// (K or its walk) S for results that are sums; empty for others.
std::vector<double> VectorError::sum_errors(const RecordedResult& result) {
    if (run_.op->row->sum.empty() || run_.op->row->sum != result.name) return {};
    if (!sizes_) sizes_ = run(*run_.op, magnitudes(run_.wide), Device::reference64());
    if (!*sizes_) return {};
    const Tensor* size = expected_of(**sizes_, result);
    if (size == nullptr || size->dtype() != DType::kFloat64) return {};
    double elements = 0;
    for (const NamedValue& argument : run_.arguments)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value))
            elements = std::max(elements, static_cast<double>(tensor->numel()));
    const double length =
        std::max(1.0, elements / static_cast<double>(std::max<int64_t>(size->numel(), 1)));
    const double terms = std::min(length, kSumWalk * std::sqrt(length));
    std::vector<double> errors;
    for (const double each : size->as<double>())
        errors.push_back(terms * each);
    return errors;
}

double VectorError::worst_steps(const VectorClass& by, const RecordedResult& result) {
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr || y->dtype() != DType::kFloat64) return 0;
    const std::span<const double> exact = y->as<double>();
    const auto& [disturbance, steps] = disturbed_.errors(by.steps, result);
    double worst = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
        const double size = std::abs(exact[i]) + disturbance.errors[i] / by.steps.unit();
        if (size > 0) worst = std::max(worst, steps.errors[i] / size);
    }
    return std::min(worst, kFactor * kFloat32.unit() * kFactor);
}

VectorError* VectorError::part() {
    if (std::exchange(is_part_known_, true)) return part_.get();
    if (!is_large(run_)) return nullptr;
    const RecordedResult& first = run_.results.front();
    const Tensor* y = exact_result(run_, first);
    if (y == nullptr || y->dtype() != DType::kFloat64 || !is_float(first.elements.dtype()))
        return nullptr;
    part_run_ = part_of(run_, kTellingElements, furthest_off(first.elements, *y, kTellingElements));
    if (part_run_) {
        part_ = std::make_unique<VectorError>(part_run_->run);
        if (part_run_->by_element()) {
            disturbed_.set_elementwise();
            part_->disturbed_.set_elementwise();
        }
    }
    return part_.get();
}

const RecordedResult* VectorError::part_result(const RecordedResult& result) {
    if (part() == nullptr) return nullptr;
    return recorded_result(part_run_->run, result.name);
}

const std::vector<double>& VectorError::in_closed_form(const VectorClass& by,
                                                       const RecordedResult& result) {
    const auto [place, fresh] = closed_forms_.try_emplace({by.steps.bits, result.name});
    std::vector<double>& terms = place->second;
    if (!fresh || is_one_rounding(by)) return terms;
    const double unit = by.steps.unit();
    const auto add = [&](const std::vector<double>& more, double times) {
        terms.resize(std::max(terms.size(), more.size()));
        for (size_t i = 0; i < more.size(); ++i)
            terms[i] += times * more[i];
    };
    add(sum_errors(result), unit);
    add(hidden_terms(run_, result), kFunction * unit);
    add(rounded_statistics(run_, result), 1);
    return terms;
}

std::vector<double> VectorError::least_conditioned(const VectorClass& by,
                                                   const RecordedResult& result) {
    if (is_one_rounding(by)) return {};
    std::vector<double> terms = in_closed_form(by, result);
    if (result.name != "result0") return terms;
    const std::vector<double> of_inputs = norm_sizes(run_, result);
    terms.resize(std::max(terms.size(), of_inputs.size()));
    for (size_t i = 0; i < of_inputs.size(); ++i)
        terms[i] += kFactor * by.steps.unit() * of_inputs[i];
    return terms;
}

const std::vector<double>& VectorError::conditioned(const VectorClass& by,
                                                    const RecordedResult& result,
                                                    const Tensor& exact) {
    const auto [place, fresh] = conditioned_.try_emplace({by.steps.bits, result.name});
    std::vector<double>& beside = place->second;
    if (!fresh || is_one_rounding(by)) return beside;
    const std::span<const double> exact_values = exact.as<double>();
    const double unit = by.steps.unit();
    const double scale = unit / kFloat32.unit();
    const bool is_cut = part() != nullptr && part_run_->by_element();
    const Spread* steps = nullptr;
    double rms = 0;
    if (is_cut) {
        beside = disturbed_.conditioning(by.steps, result).errors;
    } else {
        const DisturbedRuns::Errors& errors = disturbed_.errors(by.steps, result);
        beside = errors.conditioning.errors;
        steps = &errors.steps;
        rms = errors.conditioning.rms + scale * steps->rms;
    }
    double worst = 0;
    if (disturbed_.is_elementwise()) {
        // Every element may have the worst steps, in its own proportion.
        const RecordedResult* some = part_result(result);
        worst = some != nullptr ? part_->worst_steps(by, *some) : worst_steps(by, result);
        rms = 0;
    }
    if (!sum_errors(result).empty()) rms = 0;
    for (size_t i = 0; i < beside.size(); ++i) {
        const double own = std::max(steps != nullptr ? steps->errors[i] : 0,
                                    worst * (std::abs(exact_values[i]) + beside[i] / unit));
        beside[i] = kFactor * (beside[i] + scale * own + rms);
    }
    const std::vector<double>& terms = in_closed_form(by, result);
    for (size_t i = 0; i < std::min(beside.size(), terms.size()); ++i)
        beside[i] += terms[i];
    return beside;
}

AllowedErrors VectorError::allowed(const VectorClass& by,
                                   const RecordedResult& result,
                                   std::span<const double> exact,
                                   std::span<const double> beside) const {
    if (only_moves(*run_.op)) return allowed_of_moves(run_, result, exact, by.results);
    const NumberFormat recorded = format_of(result.elements.dtype());
    const bool is_once = is_rounded_once(*run_.op);
    const double of_value = by.steps.unit() * (is_once ? kOnce : kFunction);
    // Each step may lose what is below the smallest number.
    const double least = by.steps.lost_near_zero() * (is_once ? 1 : kFunction);
    const double factor = by.steps.bits < kFloat32.bits    ? kNarrow
                          : by.steps.bits >= kFloat64.bits ? kAsExact
                                                           : 1;
    const HalfUnits half_units(recorded, by.results);
    AllowedErrors limits(exact.size());
    for (size_t i = 0; i < limits.size(); ++i) {
        const double value = std::abs(exact[i]);
        const double limit = factor * ((beside.empty() ? 0 : beside[i]) + value * of_value + least);
        const double about = value + limit;
        limits[i] = limit + half_units.of(about);
    }
    allow_out_of_range(run_, by.steps, exact, limits);
    allow_flushed(by.steps, result, exact, limits);
    return limits;
}

std::optional<compare::Introduced> VectorError::judge(const VectorClass& by,
                                                      const RecordedResult& result,
                                                      bool details,
                                                      const Tightness& tight) {
    const Tensor* y = exact_result(run_, result);
    if (y == nullptr) return std::nullopt;
    if (y->dtype() != DType::kFloat64 || !is_float(result.elements.dtype()))
        return judge_whole(by, result, *y, details);
    const std::span<const double> exact = y->as<double>();
    AllowedErrors limit = allowed(by, result, exact, {});
    compare::Introduced error = measure_error(result, exact, by.results, limit);
    if (error.ratio > 1 && tight.share == 1) {
        // What is computed again, disturbed, costs more.
        if (const std::vector<double> least = least_conditioned(by, result); !least.empty()) {
            limit = allowed(by, result, exact, least);
            error = measure_error(result, exact, by.results, limit);
        }
    }
    const bool by_conditioning = error.ratio > 1 || tight.share < 1;
    if (by_conditioning) {
        limit = allowed(by, result, exact, conditioned(by, result, *y));
        if (tight.share < 1) {
            limit = tightened(limit,
                              tight.share,
                              tight.half_units > 0        ? tight.half_units
                              : is_rounded_once(*run_.op) ? kRounding
                                                          : kSteps,
                              result,
                              by.results,
                              exact);
            allow_out_of_range(run_, by.steps, exact, limit);
            allow_flushed(by.steps, result, exact, limit);
        }
        error = measure_error(result, exact, by.results, limit);
    }
    if (error.ratio <= 1 && !tells_16_bits(run_))
        if (auto on_grid = without_off_grid(result, exact, by.results, limit)) {
            limit = std::move(*on_grid);
            error = measure_error(result, exact, by.results, limit);
        }
    if (!details) return error;
    describe(result, exact, limit, error);
    error.told = told_by_pattern(result, exact, limit);
    error.arithmetic = by.name;
    error.formula = only_moves(*run_.op)
                        ? "equal, or rounded to the result's format"
                        : fmt::format("{:g} 2^-{} |y|{} + half a unit",
                                      is_rounded_once(*run_.op) ? kOnce : kFunction,
                                      by.steps.bits,
                                      by_conditioning && !is_one_rounding(by)
                                          ? " + 6 (conditioning + float32 steps)"
                                          : "");
    if (tight.share < 1) error.formula = fmt::format("{:.2g} of {}", tight.share, error.formula);
    return error;
}

}  // namespace npuscope::diagnose
