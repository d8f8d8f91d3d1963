// How far a recorded run is from what a form of its op makes of the inputs.
#pragma once

#include <cstdint>
#include <limits>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

struct FormDistance {
    /// Root mean square.
    double rms = std::numeric_limits<double>::infinity();
    /// As many elements of one size would tell as much.
    double elements = 0;
};

/// What differences are taken over.
enum class Over : uint8_t {
    kNothing,    ///< the largest elements tell most
    kMagnitude,  ///< that is expected, a tenth of the largest at least: arithmetic errs in
                 ///< proportion
};

/// Infinite where the form is not computed to float64.
[[nodiscard]] FormDistance distance_to(const OpRun& form, const RecordedResult& result, Over over);

/// Over magnitudes, of all float results the largest.
[[nodiscard]] double distance_to(const OpRun& form);

}  // namespace npuscope::diagnose
