// How a loss is reduced over its elements.
#pragma once

#include <array>
#include <string>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

/// The argument `reduction` as CANN's attribute.
[[nodiscard]] inline NamedValues loss_reduction(const Lowering& op) {
    constexpr auto kNames = std::to_array<const char*>({"none", "mean", "sum"});
    const int64_t code = op.integer("reduction");
    if (code < 0 || code > 2) op.reject("reduction must be 0 (none), 1 (mean) or 2 (sum)");
    return {{"reduction", std::string(kNames[static_cast<size_t>(code)])}};
}

}  // namespace npuscope::backend
