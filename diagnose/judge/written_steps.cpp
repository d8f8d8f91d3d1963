#include "diagnose/judge/written_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npuscope::diagnose {

namespace {

/// Of the elements: exponentials differ in a last place, and may be rounded to the other side.
constexpr double kNearlyAll = 0.95;
/// So many elements that one rounding would have made otherwise are no chance.
constexpr size_t kFewestShown = 8;

/// Rounds what each step gives.
class Steps {
  public:
    explicit Steps(const NumberFormat& format) : format_(format) {}
    double operator()(double value) const { return format_.rounded(value); }

  private:
    const NumberFormat& format_;
};

/// 1 + e^-x
double divisor(double x, const Steps& r) {
    return r(1 + r(std::exp(-x)));
}

double sigmoid(double x, const Steps& r) {
    return r(1 / divisor(x, r));
}

double silu_by_factor(double x, const Steps& r) {
    return r(x * sigmoid(x, r));
}

double silu_by_quotient(double x, const Steps& r) {
    return r(x / divisor(x, r));
}

double gelu_of(double x, double inner, const Steps& r) {
    return r(r(0.5 * x) * r(1 + r(std::tanh(inner))));
}

constexpr double kCube = 0.044715;

double gelu_by_tanh(double x, const Steps& r) {
    const double cube = r(kCube * r(r(x * x) * x));
    return gelu_of(x, r(std::sqrt(2 * std::numbers::inv_pi) * r(x + cube)), r);
}

/// By sqrt(2 / pi) x (1 + 0.044715 x x).
double gelu_by_tanh_of_square(double x, const Steps& r) {
    const double factor = r(1 + r(kCube * r(x * x)));
    return gelu_of(x, r(r(std::sqrt(2 * std::numbers::inv_pi) * x) * factor), r);
}

double gelu_by_erf(double x, const Steps& r) {
    return r(r(0.5 * x) * r(1 + r(std::erf(r(x * std::numbers::sqrt2 / 2)))));
}

double tanh_by_exponential(double x, const Steps& r) {
    const double power = r(std::exp(r(2 * x)));
    return r(r(power - 1) / r(power + 1));
}

double tanh_of_magnitude(double x, const Steps& r) {
    const double power = r(std::exp(r(-2 * std::abs(x))));
    return std::copysign(r(r(1 - power) / r(1 + power)), x);
}

struct Formula {
    std::string_view op;
    double (*of)(double x, const Steps& r);
};

constexpr auto kFormulas = std::to_array<Formula>({{"sigmoid", sigmoid},
                                                   {"silu", silu_by_factor},
                                                   {"silu", silu_by_quotient},
                                                   {"gelu", gelu_by_tanh},
                                                   {"gelu", gelu_by_tanh_of_square},
                                                   {"gelu", gelu_by_erf},
                                                   {"tanh", tanh_by_exponential},
                                                   {"tanh", tanh_of_magnitude}});

constexpr std::string_view kLayerNorm = "native_layer_norm";

bool is_of_formula(const Formula& formula, std::string_view op) {
    return op == formula.op || (op.ends_with('_') && op.substr(0, op.size() - 1) == formula.op);
}

/// By element, what the formulas of a function of `self` make.
std::vector<std::vector<double>> of_functions(const OpRun& run, const Steps& r) {
    const Tensor* x = tensor_named(run.wide, "self");
    if (x == nullptr || x->dtype() != DType::kFloat64) return {};
    std::vector<std::vector<double>> made;
    for (const Formula& formula : kFormulas) {
        if (!is_of_formula(formula, run.op->name())) continue;
        std::vector<double>& elements = made.emplace_back();
        for (const double each : x->as<double>())
            elements.push_back(formula.of(each, r));
    }
    return made;
}

/// A layer norm's ((x - mean) rstd) weight + bias, of the mean and the deviation that it gives out.
std::vector<std::vector<double>> of_layer_norm(const OpRun& run, const Steps& r) {
    if (run.op->name() != kLayerNorm) return {};
    const auto row_of = [&](const std::string& name) -> std::optional<Tensor> {
        const RecordedResult* found = recorded_result(run, name);
        return found == nullptr ? std::nullopt
                                : std::optional(found->elements.cast(DType::kFloat64));
    };
    const auto mean = row_of("result1");
    const auto spread = row_of("result2");
    const Tensor* x = tensor_named(run.wide, "input");
    if (x == nullptr || x->dtype() != DType::kFloat64 || !mean || !spread || mean->numel() == 0 ||
        mean->numel() != spread->numel() || x->numel() % mean->numel() != 0)
        return {};
    const auto length = static_cast<size_t>(x->numel() / mean->numel());
    const auto of_column = [&](std::string_view name) -> const Tensor* {
        const Tensor* found = tensor_named(run.wide, name);
        const bool fits = found != nullptr && found->dtype() == DType::kFloat64 &&
                          static_cast<size_t>(found->numel()) == length;
        return fits ? found : nullptr;
    };
    const Tensor* weight = of_column("weight");
    const Tensor* bias = of_column("bias");
    std::vector<double> elements;
    for (size_t i = 0; i < x->as<double>().size(); ++i) {
        const size_t row = i / length;
        double y = r(r(x->as<double>()[i] - mean->as<double>()[row]) * spread->as<double>()[row]);
        if (weight != nullptr) y = r(y * weight->as<double>()[i % length]);
        if (bias != nullptr) y = r(y + bias->as<double>()[i % length]);
        elements.push_back(y);
    }
    return {std::move(elements)};
}

/// Nearly all elements of the first result are those of a formula, so many of them none that are
/// rounded once.
bool is_made(const OpRun& run, const NumberFormat& format, size_t fewest_shown) {
    if (run.results.empty()) return false;
    const RecordedResult& result = run.results.front();
    const Tensor* exact = exact_result(run, result);
    if (exact == nullptr || exact->dtype() != DType::kFloat64) return false;
    const Steps steps(format);
    auto made = of_functions(run, steps);
    for (auto& more : of_layer_norm(run, steps))
        made.push_back(std::move(more));
    const auto once = exact->as<double>();
    const Tensor recorded = result.elements.cast(DType::kFloat64);
    const auto numbers = recorded.as<double>();
    return std::ranges::any_of(made, [&](const std::vector<double>& elements) {
        if (elements.size() != numbers.size() || once.size() != numbers.size()) return false;
        size_t equal = 0;
        size_t shown = 0;
        for (size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] != elements[i]) continue;
            ++equal;
            shown += numbers[i] != format.rounded(once[i]) ? 1 : 0;
        }
        return shown >= fewest_shown &&
               static_cast<double>(equal) >= kNearlyAll * static_cast<double>(numbers.size());
    });
}

}  // namespace

bool has_written_steps(std::string_view op) {
    return op == kLayerNorm || std::ranges::any_of(kFormulas, [&](const Formula& formula) {
               return is_of_formula(formula, op);
           });
}

bool is_made_in_written_steps(const OpRun& run, const NumberFormat& format) {
    return is_made(run, format, kFewestShown);
}

bool may_be_made_in_written_steps(const OpRun& run, const NumberFormat& format) {
    return is_made(run, format, 0);
}

}  // namespace npuscope::diagnose
