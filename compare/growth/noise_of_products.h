// What rounding the operands of a product makes of its result.
#pragma once

#include <functional>
#include <vector>

#include "compare/growth/measured_runs.h"

namespace npuscope::compare {

/// As rounding all operands makes it: spread over all elements, and no factor.
[[nodiscard]] bool is_noise(const MeasuredRun& run);

/// Of the norm, beyond what results before it were off by.
[[nodiscard]] double added_in_order(const MeasuredRun& run);

/// Whether most products that are off by noise are off by as much as rounding operands to 8 bits
/// makes: then few terms, or equal ones, are off by a factor of that size.
[[nodiscard]] bool are_products_coarse(const std::vector<MeasuredRun>& runs,
                                       const std::function<bool(const MeasuredRun&)>& is_product);

}  // namespace npuscope::compare
