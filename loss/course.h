// How two losses go on together: steadily apart, a spike, a divergence, NaN, or none of these.
#pragma once

#include "loss/pairing.h"
#include "loss/verdict.h"

namespace npuscope::loss {

/// Fewer common steps tell no course but NaN.
inline constexpr size_t kFewestForCourse = 12;

/// Judges the steps from `from` on; `allowed` is how far the last third's means may be apart beside
/// what the curves show (of like runs, 0 without).
[[nodiscard]] Course course_of(
    const Pairing& pair, size_t from, double step_noise, double allowed, const Options& options);

}  // namespace npuscope::loss
