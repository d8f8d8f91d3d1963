// Parts of a result that are further off than its others, where honest arithmetic is off evenly.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/closeness.h"

namespace npuscope::diagnose {

/// What honest arithmetic makes of the op here.
using RunsHere = std::function<std::vector<Results>(HonestRuns which)>;

/// Of a result within `limit`. Its parts are what has one place along an axis, and stretches of 16
/// or 64 elements. In root mean squares of shares of the limit, and beside the largest of the runs
/// here, one part is five times further off than the middle one: a fault within the room that the
/// limit leaves to coarser arithmetic, which would be coarser all over. The error is that of this
/// part, held to five times the middle one. Nothing where no part is, where most elements are
/// exact, or all of them are further off than here.
[[nodiscard]] std::optional<compare::Introduced> uneven_error(const HonestResult& of,
                                                              std::span<const double> exact,
                                                              std::span<const double> limit,
                                                              const RunsHere& runs_here);

}  // namespace npuscope::diagnose
