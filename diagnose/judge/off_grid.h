// Elements that arithmetic in fewer bits cannot have written.
#pragma once

#include <cstdint>
#include <span>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"
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

/// Whether the run has tensors of 16 bits: what is float32 beside them was kept so, and being a
/// number of fewer bits is chance (a sum of few bits that cancels).
[[nodiscard]] bool tells_16_bits(const OpRun& run);

}  // namespace npuscope::diagnose
