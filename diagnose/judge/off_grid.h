// Elements that arithmetic in fewer bits cannot have written.
#pragma once

#include <cstdint>
#include <span>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Where `result` is visibly rounded to `results`, a format of fewer bits than it was recorded in,
/// an element that is no number of this format comes of other arithmetic: its limit becomes a
/// fraction of the format's half unit, which what was kept in the recorded format does not reach.
/// Nothing is done where as many elements are outside the format as are rounded to it. Returns
/// whether a limit was changed.
bool forbid_off_grid(const RecordedResult& result,
                     std::span<const double> exact,
                     const NumberFormat& results,
                     AllowedErrors& limit);

}  // namespace npuscope::diagnose
