#include "diagnose/judge/hidden_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/ir/real_number.h"
#include "core/naming/aliases.h"
#include "diagnose/judge/attention_gradient.h"
#include "diagnose/judge/norm_terms.h"

namespace npuscope::diagnose {

namespace {

/// Of a power of e that float64 holds.
constexpr double kMostPower = 700;

const Tensor* wide(const OpRun& run, std::string_view name) {
    const Tensor* tensor = tensor_named(run.wide, name);
    return tensor != nullptr && tensor->dtype() == DType::kFloat64 ? tensor : nullptr;
}

/// x Phi(x): 1 + erf(x / sqrt 2) is the difference of two numbers near 1 for x < 0.
std::vector<double> of_gelu(const OpRun& run) {
    const Tensor* x = wide(run, "self");
    if (x == nullptr) return {};
    std::vector<double> terms;
    terms.reserve(static_cast<size_t>(x->numel()));
    for (const double value : x->as<double>())
        terms.push_back(std::abs(value));
    return terms;
}

/// g (Phi(x) + x phi(x)).
std::vector<double> of_gelu_backward(const OpRun& run) {
    const Tensor* g = wide(run, "grad_output");
    const Tensor* x = wide(run, "self");
    if (g == nullptr || x == nullptr || g->numel() != x->numel()) return {};
    std::vector<double> terms;
    terms.reserve(static_cast<size_t>(x->numel()));
    for (size_t i = 0; i < x->as<double>().size(); ++i)
        terms.push_back(std::abs(g->as<double>()[i]) * (1 + std::abs(x->as<double>()[i])));
    return terms;
}

/// Calls f(first, stride, count) for each row along the argument `dim` of `tensor`.
template <class F>
void for_each_row(const OpRun& run, const Tensor& tensor, F&& f) {
    const Value* value = find(run.wide, "dim");
    const auto* given = value == nullptr ? nullptr : std::get_if<int64_t>(value);
    if (given == nullptr || tensor.ndim() == 0) return;
    const int64_t axis = *given < 0 ? *given + tensor.ndim() : *given;
    if (axis < 0 || axis >= tensor.ndim()) return;
    const int64_t count = tensor.dim(axis);
    int64_t stride = 1;
    for (int64_t inner = axis + 1; inner < tensor.ndim(); ++inner)
        stride *= tensor.dim(inner);
    for (int64_t outer = 0; outer < tensor.numel() / std::max<int64_t>(count * stride, 1); ++outer)
        for (int64_t inner = 0; inner < stride; ++inner)
            f(static_cast<size_t>(outer * count * stride + inner),
              static_cast<size_t>(stride),
              static_cast<size_t>(count));
}

/// g - p sum g, p = exp(output), and p (g - sum p g): the sum is of terms of both signs.
std::vector<double> of_softmax_backward(const OpRun& run) {
    const bool logarithm = run.op->name().find("log") != std::string::npos;
    const Tensor* g = wide(run, "grad_output");
    const Tensor* y = wide(run, "output");
    if (g == nullptr || y == nullptr || g->numel() != y->numel()) return {};
    const auto gradient = g->as<double>();
    const auto output = y->as<double>();
    std::vector<double> terms(gradient.size());
    for_each_row(run, *g, [&](size_t first, size_t stride, size_t count) {
        double sum = 0;
        for (size_t i = first; i < first + stride * count; i += stride)
            sum += std::abs(gradient[i]) * (logarithm ? 1 : std::abs(output[i]));
        for (size_t i = first; i < first + stride * count; i += stride)
            terms[i] = logarithm ? std::abs(gradient[i]) + std::exp(output[i]) * sum
                                 : std::abs(output[i]) * (std::abs(gradient[i]) + sum);
    });
    return terms;
}

/// x - max - log sum exp(x - max).
std::vector<double> of_log_softmax(const OpRun& run) {
    const Tensor* x = wide(run, "self");
    if (x == nullptr) return {};
    const auto values = x->as<double>();
    std::vector<double> terms(values.size());
    for_each_row(run, *x, [&](size_t first, size_t stride, size_t count) {
        double largest = 0;
        for (size_t i = first; i < first + stride * count; i += stride)
            if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
        for (size_t i = first; i < first + stride * count; i += stride)
            terms[i] = largest + std::log(static_cast<double>(count));
    });
    return terms;
}

/// Sums of the first elements of a row: as many additions as elements may be rounded, whose errors
/// walk. In units of kFunction, which multiplies them.
std::vector<double> of_cumulative_sum(const OpRun& run) {
    const Tensor* x = wide(run, "self");
    if (x == nullptr) return {};
    const auto values = x->as<double>();
    std::vector<double> terms(values.size());
    for_each_row(run, *x, [&](size_t first, size_t stride, size_t count) {
        double sum = 0;
        for (size_t i = 0; i < count; ++i) {
            sum += std::abs(values[first + i * stride]);
            terms[first + i * stride] = walk_of(static_cast<double>(i)) * sum / kFunction;
        }
    });
    return terms;
}

/// Recipes of chips for functions that go to zero with x, by the exponential: (1 - e^-2x) /
/// (1 + e^-2x), log(1 + e^x), e^x - 1.
std::vector<double> of_exponential(const OpRun& run) {
    const Tensor* x = wide(run, "self");
    if (x == nullptr) return {};
    std::vector<double> terms;
    terms.reserve(static_cast<size_t>(x->numel()));
    for (const double value : x->as<double>())
        terms.push_back(1 + std::exp(std::min(value, 0.0)));
    return terms;
}

/// 1 - P(t) e^-x^2, t = 1 / (1 + p |x|): how PyTorch 2.6 and others compute it. The terms are near
/// 1 where the result is near 0. Source: Abramowitz & Stegun 7.1.26.
std::vector<double> of_erf(const OpRun& run) {
    const Tensor* x = wide(run, "self");
    if (x == nullptr) return {};
    std::vector<double> terms;
    terms.reserve(static_cast<size_t>(x->numel()));
    for (const double value : x->as<double>())
        terms.push_back(1 + std::erfc(std::abs(value)));
    return terms;
}

/// start + i delta, or end - i delta: near 0 as inexact as at its ends.
std::vector<double> of_range(const OpRun& run) {
    double largest = 0;
    for (const std::string_view end : {"start", "end"})
        if (const Value* value = find(run.arguments, end))
            largest = std::max(largest, std::abs(real_of(*value).value_or(0)));
    const Tensor* result = run.results.empty() ? nullptr : &run.results.front().elements;
    return std::vector<double>(result == nullptr ? 0 : static_cast<size_t>(result->numel()),
                               largest);
}

struct Row {
    std::string_view op;
    std::vector<double> (*terms)(const OpRun& run);
    bool are_functions = false;
};

/// "sigmoid" of sigmoid_.
std::string name_out_of_place(const OpRun& run) {
    std::string name = run.op->name();
    if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) name.pop_back();
    return name;
}

/// Made of 1 / (1 + e^-x) of their argument `self`.
constexpr auto kOfSigmoid =
    std::to_array<std::string_view>({"sigmoid", "silu", "mish", "silu_backward", "mish_backward"});

constexpr auto kTermsOfOps = std::to_array<Row>({
    {"gelu", of_gelu, true},
    {"gelu_backward", of_gelu_backward, true},
    {"erf", of_erf, true},
    {"_log_softmax_backward_data", of_softmax_backward},
    {"_softmax_backward_data", of_softmax_backward},
    {"_log_softmax", of_log_softmax},
    {"cumsum", of_cumulative_sum},
    {"linspace", of_range},
    {"arange", of_range},
    {"arange_start", of_range},
    {"arange_start_step", of_range},
    {"tanh", of_exponential},
    {"elu", of_exponential},
    {"celu", of_exponential},
    {"selu", of_exponential},
    {"expm1", of_exponential},
    {"log1p", of_exponential},
    {"softplus", of_exponential},
    {"log_sigmoid_forward", of_exponential},
    {"sinh", of_exponential},
    {"asinh", of_exponential},
    {"atanh", of_exponential},
});

const Row* row_of_terms(const OpRun& run) {
    const std::string name = name_out_of_place(run);
    const auto* const row =
        std::ranges::find_if(kTermsOfOps, [&](const Row& each) { return each.op == name; });
    return row == kTermsOfOps.end() ? nullptr : &*row;
}

}  // namespace

bool are_functions(const OpRun& run) {
    const Row* row = row_of_terms(run);
    return row != nullptr && row->are_functions;
}

std::vector<double> hidden_terms(const OpRun& run, const RecordedResult& result) {
    const Row* row = row_of_terms(run);
    std::vector<double> terms;
    if (row != nullptr) {
        terms = row->terms(run);
    } else if (is_gradient_of_attention(run)) {
        terms = sizes_inside_attention(run, result);
    } else {
        terms =
            is_gradient_of_norm(*run.op) ? folded_terms(run, result) : one_pass_terms(run, result);
    }
    if (static_cast<int64_t>(terms.size()) != result.elements.numel()) terms.clear();
    return terms;
}

void allow_out_of_range(const OpRun& run,
                        const NumberFormat& steps,
                        std::span<const double> exact,
                        AllowedErrors& limits) {
    if (std::ranges::find(kOfSigmoid, name_out_of_place(run)) == kOfSigmoid.end()) return;
    const Tensor* x = wide(run, "self");
    if (x == nullptr || static_cast<size_t>(x->numel()) != exact.size()) return;
    const double most = std::log(steps.largest());
    for (size_t i = 0; i < exact.size(); ++i) {
        const double power = -x->as<double>()[i];
        if (power <= most) continue;
        const double saturated = std::min(power - most, kMostPower);
        limits[i] += std::abs(exact[i]) * std::exp(saturated);
    }
}

}  // namespace npuscope::diagnose
