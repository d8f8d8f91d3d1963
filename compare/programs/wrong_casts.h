// Copies and casts that one side alone has are seen through, unless they change what they copy.
#pragma once

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Each of the target's casts in Plan::casts whose result is neither its input (a private format in
/// any order) nor that in fewer bits (float16's, bfloat16's, or those of the recorded dtype,
/// rounded in any direction, saturated or flushed to zero) becomes an op of the plan, in the
/// target's order, with OpPair::fault. Returns whether there was one; flows then pair by another
/// plan. Complexity: one pass over what casts take in and give out where hashes do not tell.
/// Memory: both of one cast, in float64. `threads` 0: all cores.
bool take_wrong_casts(const Side& target, int threads, Plan& plan);

}  // namespace npuscope::compare
