// Numbers that an op takes beside its tensors, whichever kind of value holds them.
#pragma once

#include <optional>
#include <variant>

#include "core/ir/value.h"

namespace npuscope {

/// A double, or a scalar that is no truth; empty of other values.
[[nodiscard]] inline std::optional<double> real_of(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    const auto* scalar = std::get_if<Scalar>(&value);
    if (scalar == nullptr || std::holds_alternative<bool>(scalar->number)) return std::nullopt;
    return scalar->to_double();
}

}  // namespace npuscope
