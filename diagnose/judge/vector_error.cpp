#include "diagnose/judge/vector_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "diagnose/judge/chosen_places.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/hidden_terms.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::diagnose {

namespace {

/// Units that one step of an elementary function may be off (CUDA's and vector libraries' float32
/// functions keep 4 ulp, that is 8 units).
constexpr double kFunction = 8;
/// Of sums, products and choices of elements, which every chip rounds once.
constexpr double kOnce = 3;
constexpr double kFactor = 6;
constexpr unsigned kDraws = 4;
/// For steps in 16 bits, whose number and order differ more from chip to chip.
constexpr double kNarrow = 1.5;
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

bool is_rounded_once(const backend::Op& op) {
    return !op.launches.empty() && std::ranges::all_of(op.launches, [](std::string_view name) {
        const backend::Kernel* kernel = backend::find_kernel(name);
        return std::ranges::find(kRoundedOnce, name) != kRoundedOnce.end() ||
               (kernel != nullptr && kernel->is_exact());
    });
}

double rms_of(const std::vector<double>& errors) {
    double squares = 0;
    for (const double error : errors)
        squares += error * error;
    return errors.empty() ? 0 : std::sqrt(squares / static_cast<double>(errors.size()));
}

/// Differences of two results, non-finite ones left out, the larger of them and `errors`.
void take_differences(const Tensor& one, const Tensor& other, std::vector<double>& errors) {
    const auto a = one.as<double>();
    const auto b = other.as<double>();
    errors.resize(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        if (std::isfinite(difference)) errors[i] = std::max(errors[i], difference);
    }
}

Value as_float32(const Value& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value))
        return is_float(tensor->dtype()) ? tensor->cast(DType::kFloat32) : *tensor;
    if (const auto* list = std::get_if<TensorList>(&value)) {
        TensorList tensors;
        for (const Tensor& each : *list)
            tensors.push_back(is_float(each.dtype()) ? each.cast(DType::kFloat32) : each);
        return tensors;
    }
    if (const auto* dtype = std::get_if<DType>(&value))
        return is_float(*dtype) ? DType::kFloat32 : *dtype;
    return value;
}

}  // namespace

compare::Introduced VectorError::judge_whole(const VectorClass& by,
                                             const RecordedResult& result,
                                             const Tensor& exact,
                                             bool details) const {
    const Tensor& recorded = result.elements;
    const Tensor wide = exact.cast(DType::kFloat64);
    const AllowedError none = [](int64_t) { return 0.0; };
    compare::Introduced error = measure_error(recorded, wide.as<double>(), kFloat64, none);
    if (error.ratio > 1 && are_ties(run_, result, exact, by.steps).value_or(false)) {
        error.ratio = 0;
        error.reordered = true;
    }
    if (details) describe(recorded, wide.as<double>(), none, error);
    error.arithmetic = "exact";
    error.formula = "equal";
    return error;
}

bool VectorError::is_elementwise() {
    if (elementwise_) return *elementwise_;
    elementwise_ = false;
    const Results* before = exact_results(run_);
    const int64_t count = run_.results.front().elements.numel();
    if (before == nullptr) return false;
    const auto is_chosen = [](size_t index) { return (index * 0x9e3779b97f4a7c15U) >> 63U != 0; };
    bool changes = false;
    const NamedValues other =
        changed(run_.wide, [&](const std::string&, std::span<double> elements) {
            if (static_cast<int64_t>(elements.size()) != count || count == 1) return;
            changes = true;
            for (size_t i = 0; i < elements.size(); ++i)
                if (is_chosen(i)) elements[i] *= 1.5;
        });
    if (!changes) return false;
    const auto after = run(*run_.op, other, Device::reference64());
    if (!after) return false;
    for (const RecordedResult& result : run_.results) {
        const Tensor* a = expected_of(*before, result);
        const Tensor* b = expected_of(*after, result);
        if (a == nullptr || b == nullptr || a->numel() != count || a->dtype() != DType::kFloat64)
            return false;
        for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
            const double x = a->as<double>()[i];
            const double y = b->as<double>()[i];
            if (!is_chosen(i) && x != y && !(std::isnan(x) && std::isnan(y))) return false;
        }
    }
    elementwise_ = true;
    return true;
}

const std::vector<VectorError::Draw>& VectorError::draws(const NumberFormat& steps) {
    if (drawn_bits_ == steps.bits) return draws_;
    drawn_bits_ = steps.bits;
    draws_.clear();
    std::mt19937_64 signs(1);
    const double unit = steps.unit();
    const double least = steps.half_unit(0);
    const bool by_operand = is_elementwise();
    for (unsigned draw = 0; draw < kDraws; ++draw) {
        unsigned operand = 0;
        NamedValues narrow =
            changed(run_.wide, [&](const std::string&, std::span<double> elements) {
                // Where elements do not meet, all of an operand may go one way: four draws are all
                // ways of three operands.
                const unsigned way = operand == 2 ? draw ^ (draw >> 1U) : draw >> (operand & 1U);
                ++operand;
                for (double& element : elements) {
                    if (element == 0 || !std::isfinite(element)) continue;
                    const double by = std::max(std::abs(element) * unit, least);
                    element += ((by_operand ? way : signs()) & 1U) != 0 ? by : -by;
                }
            });
        NamedValues wide = narrow;
        // As float32, so that both runs are given the same numbers.
        if (steps.bits < kFloat64.bits) {
            for (NamedValue& argument : narrow)
                argument.value = as_float32(argument.value);
            wide = widened(narrow);
        }
        auto exact = run(*run_.op, wide, Device::reference64());
        auto stepped =
            run(*run_.op,
                narrow,
                steps.bits < kFloat64.bits ? Device::reference32() : Device::reference64());
        if (exact && stepped) draws_.push_back({std::move(*exact), std::move(*stepped)});
    }
    return draws_;
}

VectorError::Spread VectorError::conditioning(const VectorClass& by,
                                              const RecordedResult& result,
                                              const Tensor& exact) {
    Spread spread;
    for (const Draw& draw : draws(by.steps))
        if (const Tensor* tensor = expected_of(draw.exact, result);
            tensor != nullptr && tensor->dtype() == DType::kFloat64)
            take_differences(*tensor, exact, spread.errors);
    spread.errors.resize(static_cast<size_t>(exact.numel()));
    spread.rms = rms_of(spread.errors);
    return spread;
}

VectorError::Spread VectorError::steps(const VectorClass& by, const RecordedResult& result) {
    Spread spread;
    for (const Draw& draw : draws(by.steps)) {
        const Tensor* exact = expected_of(draw.exact, result);
        const Tensor* stepped = expected_of(draw.stepped, result);
        if (exact != nullptr && stepped != nullptr && exact->dtype() == DType::kFloat64)
            take_differences(stepped->cast(DType::kFloat64), *exact, spread.errors);
    }
    spread.errors.resize(static_cast<size_t>(result.elements.numel()));
    spread.rms = rms_of(spread.errors);
    return spread;
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

std::optional<compare::Introduced> VectorError::judge(const VectorClass& by,
                                                      const RecordedResult& result,
                                                      bool details) {
    const Results* results = exact_results(run_);
    const Tensor* y = results == nullptr ? nullptr : expected_of(*results, result);
    if (y == nullptr) return std::nullopt;
    if (y->dtype() != DType::kFloat64 || !is_float(result.elements.dtype()))
        return judge_whole(by, result, *y, details);
    const std::span<const double> exact_values = y->as<double>();
    const NumberFormat recorded = format_of(result.elements.dtype());
    const double unit = by.steps.unit();
    const double function = is_rounded_once(*run_.op) ? kOnce : kFunction;
    const auto with_roundings = [&](double value, double limit) {
        limit += unit * std::abs(value) * function + by.steps.half_unit(0);
        if (by.steps.bits < kFloat32.bits) limit *= kNarrow;
        const double about = std::abs(value) + limit;
        return limit + std::max(recorded.half_unit(about), by.results.half_unit(about));
    };
    const AllowedError plain = [&](int64_t index) {
        return with_roundings(exact_values[static_cast<size_t>(index)], 0);
    };
    compare::Introduced error = measure_error(result.elements, exact_values, by.results, plain);
    AllowedError allowed = plain;
    Spread disturbance;
    Spread steps_here;
    std::vector<double> sums;
    std::vector<double> hidden;
    const bool conditioned = error.ratio > 1;
    if (conditioned) {
        disturbance = conditioning(by, result, *y);
        steps_here = steps(by, result);
        hidden = hidden_terms(run_, result);
        sums = sum_errors(result);
        const double scale = unit / kFloat32.unit();
        const bool alone = is_elementwise();
        if (alone) {
            // Every element may have the worst steps, in its own proportion.
            double worst = 0;
            for (size_t i = 0; i < steps_here.errors.size(); ++i) {
                const double size = std::abs(exact_values[i]) + disturbance.errors[i] / unit;
                if (size > 0) worst = std::max(worst, steps_here.errors[i] / size);
            }
            worst = std::min(worst, kFactor * kFloat32.unit() * kFactor);
            for (size_t i = 0; i < steps_here.errors.size(); ++i)
                steps_here.errors[i] =
                    std::max(steps_here.errors[i],
                             worst * (std::abs(exact_values[i]) + disturbance.errors[i] / unit));
            disturbance.rms = steps_here.rms = 0;
        }
        allowed = [&, scale](int64_t index) {
            const auto i = static_cast<size_t>(index);
            const double limit = kFactor * (disturbance.errors[i] + disturbance.rms +
                                            scale * (steps_here.errors[i] + steps_here.rms)) +
                                 (sums.empty() ? 0 : unit * sums[i]) +
                                 (hidden.empty() ? 0 : kFunction * unit * hidden[i]);
            return with_roundings(exact_values[i], limit);
        };
        error = measure_error(result.elements, exact_values, by.results, allowed);
    }
    if (!details) return error;
    describe(result.elements, exact_values, allowed, error);
    error.arithmetic = by.name;
    error.formula = fmt::format("{:g} 2^-{} |y|{} + half a unit",
                                function,
                                by.steps.bits,
                                conditioned ? " + 6 (conditioning + float32 steps)" : "");
    return error;
}

}  // namespace npuscope::diagnose
