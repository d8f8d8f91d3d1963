#include "diagnose/judge/other_numbers.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "core/naming/aliases.h"
#include "diagnose/judge/exact_run.h"

namespace npuscope::diagnose {

namespace {

bool is_tensor_value(const Value& value) {
    return std::holds_alternative<Tensor>(value) || std::holds_alternative<TensorList>(value);
}

std::string_view canonical_argument_of(const OpRun& run, const NamedValue& argument) {
    const Alias* alias = find_alias(run.op->name());
    return alias == nullptr ? argument.name : canonical_argument(*alias, argument.name);
}

}  // namespace

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
