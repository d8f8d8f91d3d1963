// What one side alone is given, as findings.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Of each tensor of Plan::one_sided, at the first pair of ops of which it makes a difference: adds
/// it to that op's inputs, missing, and a culprit. It makes one where the pair's results do not
/// pass, and the other op has all else that the op is given, or they are farther off than what was
/// computed before makes of rounding. A batch norm folded into weights makes none. After ops were
/// compared.
void take_one_sided(const Plan& plan, Result& result);

}  // namespace npuscope::compare
