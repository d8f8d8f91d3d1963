// Rows of log_softmax, whose elements differ as the inputs do.
#pragma once

#include <optional>

#include "compare/split.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// Of a result of log_softmax within its limit. Along the axis an element is x - ln(sum e^x) with
/// one sum for all: whatever approximates e^x and ln, and in whatever order terms are added, shifts
/// the whole row. Apart from that its elements are off by roundings of x, where the steps have
/// fewer bits, of x - max and of the result, three times each, and by four units of 1 for
/// logarithms taken element by element. The error is what is beyond. Nothing of other ops, and
/// where nothing is beyond.
[[nodiscard]] std::optional<compare::Introduced> log_softmax_row_error(const ResultInLimit& within);

}  // namespace npuscope::diagnose
