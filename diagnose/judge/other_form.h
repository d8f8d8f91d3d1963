// Ops that have several forms which recorders leave out (`approximate` of gelu).
#pragma once

#include <span>

#include "diagnose/judge/side_judge.h"

namespace npuscope::diagnose {

/// Where the results of a run, honest in the form that it should have, are clearly nearer to
/// another form (a quarter in root mean square, and 3000 to one against chance), that is told.
void tell_other_form(std::span<const OpRun> forms, size_t expected, SideJudge::Errors& errors);

}  // namespace npuscope::diagnose
