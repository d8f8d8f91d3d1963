// Results that differ by a bias alone, which one side adds in another op.
#pragma once

#include <string>

#include "compare/growth/measured_runs.h"
#include "compare/growth/side_distances.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Of the result of two products, one with a bias that nobody computed: where it is farther off
/// than `noise` (of the golden's norm) by that bias alone, and no op that was recorded takes in the
/// result of the other, "it differs by /addmm/33/input/self alone, and nothing that was recorded
/// takes in /mm/18/output/result"; else "". Memory: both, in float64.
[[nodiscard]] std::string bias_apart(const OpPair& pair,
                                     const MeasuredRun& run,
                                     double noise,
                                     const SideDistances& target,
                                     const SideDistances& golden);

}  // namespace npuscope::compare
