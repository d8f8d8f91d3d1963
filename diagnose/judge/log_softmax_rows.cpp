#include "diagnose/judge/log_softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/value.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

namespace {

/// Of roundings of x, of x - max and of the result.
constexpr double kOfRoundings = 3;
/// Of 1, for logarithms of each element's share.
constexpr double kOfOtherSteps = 4;
constexpr size_t kFewestInRow = 3;

bool is_log_softmax(const backend::Op& op) {
    const std::string_view name = op.name();
    return name.find("log_softmax") != std::string_view::npos &&
           name.find("backward") == std::string_view::npos;
}

/// The rows of a shape along one axis, as places of their elements.
struct AxisRows {
    size_t count = 0;
    size_t length = 0;
    size_t stride = 1;

    [[nodiscard]] size_t at(size_t row, size_t k) const {
        return (row / stride * length + k) * stride + row % stride;
    }
};

std::optional<AxisRows> along_axis(const Value* dim, const Shape& shape) {
    const auto* asked = dim == nullptr ? nullptr : std::get_if<int64_t>(dim);
    const auto rank = static_cast<int64_t>(shape.size());
    if (asked == nullptr || *asked < -rank || *asked >= rank || numel_of(shape) == 0)
        return std::nullopt;
    const auto axis = static_cast<size_t>(*asked < 0 ? *asked + rank : *asked);
    AxisRows rows{.length = static_cast<size_t>(shape[axis])};
    for (size_t behind = axis + 1; behind < shape.size(); ++behind)
        rows.stride *= static_cast<size_t>(shape[behind]);
    rows.count = static_cast<size_t>(numel_of(shape)) / rows.length;
    return rows;
}

/// By how much a number may be off before anything is computed with it.
double taken_in(const NumberFormat& steps, double x) {
    return steps.rounded(x) == x || std::isinf(x) ? 0 : steps.half_unit(x);
}

}  // namespace

std::optional<compare::Introduced> log_softmax_row_error(const ResultInLimit& within) {
    const OpRun& run = within.run;
    const RecordedResult& result = within.of.result;
    if (!is_log_softmax(*run.op)) return std::nullopt;
    const Tensor* input = tensor_named(run.wide, "self");
    const std::optional<AxisRows> rows = along_axis(find(run.wide, "dim"), result.elements.shape());
    if (!rows || rows->length < kFewestInRow || input == nullptr ||
        input->dtype() != DType::kFloat64 || input->numel() != result.elements.numel())
        return std::nullopt;
    const JudgedElements judged(result, within.exact);
    const Tensor wide = judged.recorded().cast(DType::kFloat64);
    const HalfUnits steps(within.of.steps, within.of.results);
    const NumberFormat recorded = format_of(result.elements.dtype());
    const std::span<const double> x = input->as<double>();
    const std::span<const double> y = wide.as<double>();
    std::vector<double> expected(judged.expected().begin(), judged.expected().end());
    AllowedErrors allowed(within.limit.begin(), within.limit.end());
    for (size_t index = 0; index < rows->count; ++index) {
        double largest = -HUGE_VAL;
        for (size_t k = 0; k < rows->length; ++k)
            largest = std::max(largest, x[rows->at(index, k)]);
        // Between these lies by how much all are off alike, where they are.
        double least = -HUGE_VAL;
        double most = HUGE_VAL;
        for (size_t k = 0; k < rows->length; ++k) {
            const size_t i = rows->at(index, k);
            const double error = y[i] - expected[i];
            if (!std::isfinite(error)) continue;
            const double rounded = taken_in(within.of.steps, x[i]) + steps.of(largest - x[i]) +
                                   std::max(steps.of(expected[i]), recorded.half_unit(expected[i]));
            allowed[i] = kOfRoundings * rounded + kOfOtherSteps * within.of.steps.unit();
            least = std::max(least, error - allowed[i]);
            most = std::min(most, error + allowed[i]);
        }
        if (least == -HUGE_VAL) continue;
        for (size_t k = 0; k < rows->length; ++k)
            expected[rows->at(index, k)] += (least + most) / 2;
    }
    compare::Introduced error = measure_error(result, expected, within.of.results, allowed);
    if (error.ratio <= 1) return std::nullopt;
    describe(result, expected, allowed, error);
    error.told = "elements of a row are off by different amounts, where one sum is taken off all";
    error.formula = "3 times the roundings + 4 units of 1, but for a shift of the row";
    return error;
}

}  // namespace npuscope::diagnose
