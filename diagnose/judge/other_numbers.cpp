#include "diagnose/judge/other_numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "core/ir/real_number.h"
#include "core/naming/aliases.h"
#include "core/tensor/difference.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {

namespace {

/// Changes of results that are told, in units of float32 and of the largest element.
constexpr double kVisible = 32;

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
        std::erase_if(to.arguments,
                      [](const NamedValue& argument) { return !is_tensor_value(argument.value); });
        for (const NamedValue& argument : from.arguments)
            if (!is_tensor_value(argument.value)) to.arguments.push_back(argument);
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

}  // namespace npuscope::diagnose
