// Recordings that hold ops of some kinds alone: their recorder was asked for these.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where one side has few kinds of ops, all of which pair, and the other many more: what these make
/// is not missing. Its partings are spans after that, and a note says so. `plan` is the result's.
void forget_unrecorded_kinds(Plan& plan, Result& result);

}  // namespace npuscope::compare
