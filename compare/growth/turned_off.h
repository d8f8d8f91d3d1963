// Elements that are zero on one side alone, as a gate leaves them that rounding opens or shuts; or
// as many times smaller, where it leaks.
#pragma once

#include "compare/compare.h"
#include "compare/growth/measured_runs.h"
#include "compare/match.h"

namespace npuscope::compare {

struct TurnedOff {
    double share = 0;      ///< of the elements
    double both = 0;       ///< of the elements, zero on both sides
    double rest_norm = 0;  ///< how far apart the others are, of the golden's norm
    bool is_gate = false;  ///< each side's are zero, or what its op takes in at their place
};

/// Of a result of the pair. Errors: those of its tensors. Memory: both, in float64.
[[nodiscard]] TurnedOff turned_off(const OpPair& pair, const TensorResult& result);

/// Whether the result differs in the few elements whose gate rounding opens or shuts (the gradient
/// of relu), and in no others. Errors: none; what cannot be read is not.
[[nodiscard]] bool is_turned_off(const OpPair& pair, const MeasuredRun& run);

}  // namespace npuscope::compare
