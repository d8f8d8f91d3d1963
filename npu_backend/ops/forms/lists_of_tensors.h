// _foreach_ ops: one op for each tensor of a list.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "npu_backend/ops/op.h"

namespace npuscope::backend {

/// Of such an op, its arguments but `self`, and what the op for one tensor (OpRow::as) calls each.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> arguments_of_one(
    const OpRow& row);

}  // namespace npuscope::backend
