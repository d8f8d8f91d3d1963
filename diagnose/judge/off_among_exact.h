// Single elements that are off in a result of which all others are rounded correctly.
#pragma once

#include <optional>

#include "compare/split.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// Of a result within its limit. Nearly all elements whose exact values no format holds are within
/// half a unit of these: it was computed in wider steps, and rounded once. At most one in fifty is
/// off by three half units and more, and four times as far, in shares of the limit, as the others:
/// no rounding makes that. The error is that of these elements. Nothing where too few elements
/// tell, and where the reference here is off there as well.
[[nodiscard]] std::optional<compare::Introduced> off_among_exact_error(const ResultInLimit& within);

}  // namespace npuscope::diagnose
