// Single elements of a function that are off where those of nearly the same numbers are not.
#pragma once

#include <optional>

#include "compare/split.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// Of a result within its limit, of an op that computes each element by itself from one number (and
/// a gradient by which it is multiplied). What a function is off by goes by what it is given: an
/// element that is six times further off than those of the numbers next to its own, on either side,
/// is off for where it stands. The error is that of these elements, held to six times what their
/// neighbours need. Nothing where few elements stand near, and where a run here is off there too.
[[nodiscard]] std::optional<compare::Introduced> off_alone_error(const ResultInLimit& within);

}  // namespace npuscope::diagnose
