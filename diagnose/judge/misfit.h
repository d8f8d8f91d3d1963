// Results that fit their op with another number than the recorded one.
#pragma once

#include <optional>

#include "compare/split.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// Of a result within its limit: the errors, as shares of the limit, are explained by one of the
/// op's numbers (eps, alpha, a factor) being another, or by a factor of all elements. What that
/// changes is more than roundings of numbers and statistics make, and three times what runs here
/// show. Least squares leave two thirds of the squares at most, with odds of e^10 to 1 that this is
/// no chance. Nothing otherwise.
[[nodiscard]] std::optional<compare::Introduced> misfit_error(const ResultInLimit& within);

}  // namespace npuscope::diagnose
