// Parts of a result that are further off than its others, where honest arithmetic is off evenly.
#pragma once

#include <optional>

#include "compare/split.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// Of a result within its limit. Its parts are what has one place along an axis, and stretches of
/// 16 or 64 elements. In root mean squares of shares of the limit, and beside the largest of the
/// runs here, one part is five times further off than the middle one: a fault within the room that
/// the limit leaves to coarser arithmetic, which would be coarser all over. The error is that of
/// this part, held to five times the middle one. Ten times where no like runs show that their
/// algorithm is even. Nothing where no part is, where most elements are exact, or all of them are
/// further off than here.
[[nodiscard]] std::optional<compare::Introduced> uneven_error(const ResultInLimit& within,
                                                              bool has_likes);

}  // namespace npuscope::diagnose
