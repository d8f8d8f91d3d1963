// Recordings that say of themselves that they end early.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where the recording of a side was cut short, ops of the other that come behind all pairs are no
/// finding, and Result::cut_short: nothing is known of what the side would have done.
void forget_what_is_cut_off(Plan& plan, const Source& target, const Source& golden, Result& result);

}  // namespace npuscope::compare
