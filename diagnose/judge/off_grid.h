// Elements that arithmetic in fewer bits cannot have written.
#pragma once

#include <optional>
#include <span>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Where `result` is visibly rounded to `results`, a format of fewer bits than it was recorded in,
/// an element that is no number of this format comes of other arithmetic: its limit becomes a
/// fraction of the format's half unit, which what was kept in the recorded format does not reach. A
/// sum of few such numbers needs few bits more and is none. Empty where no limit changes, and where
/// as many elements are outside the format as are rounded to it.
[[nodiscard]] std::optional<AllowedErrors> without_off_grid(const RecordedResult& result,
                                                            std::span<const double> exact,
                                                            const NumberFormat& results,
                                                            std::span<const double> limit);

}  // namespace npuscope::diagnose
