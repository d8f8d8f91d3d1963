// Recordings that end early.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where the recording of a side says that it was cut short, ops of the other that come behind all
/// pairs are no finding, and Result::cut_short: nothing is known of what the side would have done.
/// Where one ends many ops before the other without a word, a note asks for that.
void forget_what_is_cut_off(Plan& plan, const Source& target, const Source& golden, Result& result);

}  // namespace npuscope::compare
