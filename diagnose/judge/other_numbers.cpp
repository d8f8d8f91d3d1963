#include "diagnose/judge/other_numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/ir/real_number.h"
#include "core/naming/aliases.h"
#include "core/naming/moving_statistics.h"
#include "core/tensor/difference.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

namespace {

/// Changes of results that are told, in units of float32 and of the largest element.
constexpr double kVisible = 2;

bool is_tensor_value(const Value& value) {
    return std::holds_alternative<Tensor>(value) || std::holds_alternative<TensorList>(value);
}

std::string_view canonical_argument_of(const OpRun& run, const NamedValue& argument) {
    return canonical_argument(find_alias(run.op->name()), argument.name);
}

/// As near as float32 holds it.
bool is_same(double one, double other) {
    return std::abs(one - other) <= 2 * kFloat32.unit() * std::abs(other);
}

bool is_of_text(double number) {
    return std::isfinite(number) && is_same(number, std::stod(fmt::format("{:.4g}", number)));
}

bool is_other_constant(double target, double golden) {
    return is_of_text(golden) && !is_same(target, golden) &&
           !is_same(target, kFloat16.rounded(golden)) &&
           !is_same(target, kBFloat16.rounded(golden));
}

/// The axes that an argument names, as the elements lie: so many of them before, among and after
/// these. Another shape of the same elements gives the same numbers.
struct Axes {
    int64_t before = 1;
    int64_t among = 1;
    int64_t after = 1;
    friend bool operator==(const Axes&, const Axes&) = default;
};

/// Empty where it names no axes of the tensor, or some that do not follow each other.
std::optional<Axes> axes_of(const Tensor& tensor, const Value& value) {
    std::vector<int64_t> dims;
    if (const auto* one = std::get_if<int64_t>(&value))
        dims = {*one};
    else if (const auto* list = std::get_if<IntList>(&value))
        dims = *list;
    if (dims.empty()) return std::nullopt;
    for (int64_t& dim : dims)
        dim += dim < 0 ? tensor.ndim() : 0;
    std::ranges::sort(dims);
    if (dims.front() < 0 || dims.back() >= tensor.ndim() ||
        dims.back() - dims.front() + 1 != static_cast<int64_t>(dims.size()))
        return std::nullopt;
    Axes axes;
    for (int64_t dim = 0; dim < tensor.ndim(); ++dim)
        (dim < dims.front()  ? axes.before
         : dim > dims.back() ? axes.after
                             : axes.among) *= tensor.dim(dim);
    return axes;
}

const Tensor* first_tensor(const OpRun& run) {
    for (const NamedValue& argument : run.arguments)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) return tensor;
    return nullptr;
}

/// Whether an argument names the same axes of both runs' first tensors, which are of two shapes.
bool are_same_axes(const OpRun& one, const OpRun& other, const NamedValue& argument) {
    const Tensor* mine = first_tensor(one);
    const Tensor* theirs = first_tensor(other);
    const Value* value = find(other.arguments, argument.name);
    if (argument.name != "dim" || mine == nullptr || theirs == nullptr || value == nullptr ||
        mine->shape() == theirs->shape())
        return false;
    const auto axes = axes_of(*mine, argument.value);
    return axes && axes == axes_of(*theirs, *value);
}

}  // namespace

bool has_other_constant(const OpRun& target, const OpRun& golden) {
    return std::ranges::any_of(golden.arguments, [&](const NamedValue& theirs) {
        const std::optional<double> number = real_of(theirs.value);
        return number && std::ranges::any_of(target.arguments, [&](const NamedValue& own) {
                   const std::optional<double> other = real_of(own.value);
                   return other &&
                          canonical_argument_of(target, own) ==
                              canonical_argument_of(golden, theirs) &&
                          is_other_constant(*other, *number);
               });
    });
}

bool numbers_change_results(const OpRun& one, const OpRun& other) {
    return std::ranges::any_of(one.results, [&](const RecordedResult& result) {
        const Tensor* a = exact_result(one, result);
        const Tensor* b = exact_result(other, result);
        return a != nullptr && b != nullptr && a->shape() == b->shape() &&
               difference(*a, *b).relative() > kVisible * kFloat32.unit();
    });
}

void take_numbers(const OpRun& from, OpRun& to) {
    if (from.op == to.op) {
        NamedValues taken;
        for (const NamedValue& argument : to.arguments)
            if (is_tensor_value(argument.value)) taken.push_back(argument);
        for (const NamedValue& argument : from.arguments)
            if (!is_tensor_value(argument.value))
                taken.push_back(are_same_axes(from, to, argument)
                                    ? NamedValue{argument.name, *find(to.arguments, argument.name)}
                                    : argument);
        to.arguments = std::move(taken);
    } else {
        for (NamedValue& own : to.arguments)
            for (const NamedValue& other : from.arguments)
                if (!is_tensor_value(own.value) && !is_tensor_value(other.value) &&
                    canonical_argument_of(to, own) == canonical_argument_of(from, other))
                    own.value = other.value;
    }
    to.wide = widened(to.arguments);
    to.exact.reset();
}

bool writes_other_statistics(const OpRun& target, const OpRun& golden) {
    const auto number = [](const OpRun& run, std::string_view name) -> std::optional<double> {
        for (const NamedValue& argument : run.arguments) {
            if (canonical_argument_of(run, argument) != name) continue;
            if (const auto* flag = std::get_if<bool>(&argument.value)) return *flag ? 1 : 0;
            return real_of(argument.value);
        }
        return std::nullopt;
    };
    if (!moves_statistics(target.op->name()) || find(target.arguments, "running_mean") == nullptr)
        return false;
    const auto mine = number(target, "momentum");
    const auto theirs = number(golden, "momentum");
    return number(target, "training").value_or(0) != 0 && mine && theirs &&
           !is_same(*mine, *theirs);
}

}  // namespace npuscope::diagnose
