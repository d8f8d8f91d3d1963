#include "diagnose/judge/product_error.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "diagnose/judge/exact_run.h"

namespace npuscope::diagnose {

namespace {

/// Rounding errors of K terms add up like a random walk; the factor is for terms that are alike.
constexpr double kWalk = 4;
/// Of an operand that is rounded by an unknown rule: toward zero errs by twice a half unit.
constexpr double kAnyRounding = 2;
/// For classes that are not emulated to the last bit.
constexpr double kUncertain = 1.5;
constexpr double kLevelsOfInt8 = 254;

bool is_bias(const backend::Op& op, const std::string& argument) {
    if (argument == "bias") return true;
    return argument == "self" && std::ranges::any_of(op.schema.arguments, [](const auto& each) {
               return each.name == "beta";
           });
}

const Tensor* tensor_named(const NamedValues& values, const char* name) {
    const Value* value = find(values, name);
    return value == nullptr ? nullptr : std::get_if<Tensor>(value);
}

double rounded_operand(const ProductClass& by, double value) {
    if (by.rounding == OperandRounding::kTruncated) return by.operands.truncated(value);
    if (by.rounding == OperandRounding::kAway) return by.operands.rounded_away(value);
    const double nearest = by.operands.rounded(value);
    const bool flushed = by.rounding == OperandRounding::kFlushed &&
                         std::abs(nearest) < std::ldexp(1.0, by.operands.lowest);
    return flushed ? std::copysign(0.0, value) : nearest;
}

bool is_emulated(const ProductClass& by) {
    return by.rounding != OperandRounding::kNone && by.rounding != OperandRounding::kSomehow &&
           by.rounding != OperandRounding::kScaled;
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
        if (gradient != nullptr && result != "result0" && gradient->ndim() > 1)
            return gradient->numel() / std::max<int64_t>(gradient->dim(1), 1);
        return weight->numel() / std::max<int64_t>(std::min(weight->dim(0), weight->dim(1)), 1);
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
    const std::string key = fmt::format("{} {} {} {}",
                                        static_cast<int>(by.rounding),
                                        by.operands.bits,
                                        by.operands.lowest,
                                        static_cast<int>(which));
    const auto [place, fresh] = computed_.try_emplace(key);
    if (fresh) {
        const NamedValues arguments =
            changed(run_.wide, [&](const std::string& name, std::span<double> elements) {
                if (which == Rounded::kOperands && is_bias(*run_.op, name)) return;
                for (double& element : elements)
                    element = rounded_operand(by, element);
            });
        place->second = run(*run_.op, arguments, Device::reference64());
    }
    return place->second ? &*place->second : nullptr;
}

const Results* ProductError::magnitude(double relative, double absolute, bool by_largest) {
    const std::string key = fmt::format("magnitude {} {} {}", relative, absolute, by_largest);
    const auto [place, fresh] = computed_.try_emplace(key);
    if (fresh)
        place->second = run(*run_.op,
                            changed(magnitudes(run_.wide),
                                    [&](const std::string&, std::span<double> elements) {
                                        double largest = 0;
                                        for (const double element : elements)
                                            if (std::isfinite(element))
                                                largest = std::max(largest, element);
                                        for (double& element : elements)
                                            element += by_largest
                                                           ? largest * relative
                                                           : std::max(element * relative,
                                                                      element == 0 ? 0 : absolute);
                                    }),
                            Device::reference64());
    return place->second ? &*place->second : nullptr;
}

bool ProductError::has_bias() const {
    return std::ranges::any_of(run_.wide, [&](const NamedValue& argument) {
        return is_bias(*run_.op, argument.name) && std::holds_alternative<Tensor>(argument.value);
    });
}

void ProductError::forget_rounded() {
    std::erase_if(computed_, [](const auto& each) { return !each.first.starts_with("magnitude"); });
}

double ProductError::largest_bias() const {
    double largest = 0;
    for (const NamedValue& argument : run_.wide)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value);
            tensor != nullptr && is_bias(*run_.op, argument.name) &&
            tensor->dtype() == DType::kFloat64)
            for (const double element : tensor->as<double>())
                if (std::isfinite(element)) largest = std::max(largest, std::abs(element));
    return largest;
}

std::optional<compare::Introduced> ProductError::judge_as(const ProductClass& by,
                                                          Rounded which,
                                                          const RecordedResult& result,
                                                          bool details) {
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
    const auto length = static_cast<double>(contraction_length(run_, result.name));
    const double terms = by.growth * (2 + std::min(length, kWalk * std::sqrt(length)));
    const double unit = by.sums.unit();
    const NumberFormat recorded = format_of(result.elements.dtype());
    const std::span<const double> exact_values = y->as<double>();
    const double bias = largest_bias();
    const AllowedError allowed = [&](int64_t index) {
        const auto i = static_cast<size_t>(index);
        const double value = std::abs(exact_values[i]);
        // Twice a half unit of float32 for what leaves the sums.
        double limit = unit * (terms * sum_sizes[i] + value) + by.sums.half_unit(0);
        if (by.rounding == OperandRounding::kSomehow || by.sums.bits < kFloat32.bits)
            limit *= kUncertain;
        if (disturbed != nullptr) limit += disturbed->as<double>()[i] - size->as<double>()[i];
        limit += std::max(recorded.half_unit(value + limit), by.results.half_unit(value + limit));
        // The product may be rounded to the result's dtype before the bias is added.
        if (bias > 0) limit += recorded.half_unit(value + bias);
        return limit;
    };
    const NumberFormat narrow = by.results.bits < by.operands.bits ? by.results : by.operands;
    compare::Introduced error = measure_error(result.elements, exact_values, narrow, allowed);
    if (!details) return error;
    describe(result.elements, exact_values, allowed, error);
    error.arithmetic = by.name;
    error.formula = fmt::format(
        "2^-{} ({:.3g} sum|a||b| + |y|) + half a unit, K = {:g}", by.sums.bits, terms, length);
    return error;
}

std::optional<compare::Introduced> ProductError::judge(const ProductClass& by,
                                                       const RecordedResult& result,
                                                       bool details) {
    std::optional<compare::Introduced> best = judge_as(by, Rounded::kOperands, result, details);
    if (!best || best->ratio <= 1 || !is_emulated(by)) return best;
    // The bias may be rounded as well; a bias gradient is summed up without the Cube by some.
    for (const Rounded which : {Rounded::kBiasToo, Rounded::kNothing}) {
        if (which == Rounded::kBiasToo && !has_bias()) continue;
        if (which == Rounded::kNothing && result.name != "result2") continue;
        const auto other = judge_as(by, which, result, details);
        if (other && other->ratio < best->ratio) best = other;
    }
    return best;
}

}  // namespace npuscope::diagnose
