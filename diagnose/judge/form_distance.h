// How far a recorded run is from what a form of its op makes of the inputs.
#pragma once

#include <limits>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

struct FormDistance {
    /// Of the differences over the expected magnitude, the root mean square: arithmetic of any
    /// class errs in proportion to it.
    double rms = std::numeric_limits<double>::infinity();
    /// As many elements of one size would tell as much.
    double elements = 0;
};

/// Infinite where the form is not computed to float64.
[[nodiscard]] FormDistance distance_to(const OpRun& form, const RecordedResult& result);

/// Of all float results, the largest.
[[nodiscard]] double distance_to(const OpRun& form);

}  // namespace npuscope::diagnose
