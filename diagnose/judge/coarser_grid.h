// Results that were rounded to a format of fewer bits than arithmetic of their class leaves.
#pragma once

#include <optional>

#include "compare/split.h"
#include "core/dtype/dtype.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// The 16-bit format, of fewer bits than the recorded dtype and the class's results, whose numbers
/// all recorded elements are, though what is expected of them is not: so many different ones that
/// this is no chance (10^6 to one). Empty where they have all their bits, or are too few to tell.
[[nodiscard]] std::optional<DType> coarser_grid(const ResultInLimit& within);

/// That its elements are of that grid, of a result that may be off by more.
[[nodiscard]] compare::Introduced coarser_error(const ResultInLimit& within, DType grid);

}  // namespace npuscope::diagnose
