// Arithmetic that is not what was expected.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Each is a culprit of its first op. `plan` is that whose ops are the result's.
void take_contradictions(const Plan& plan,
                         std::vector<ArithmeticContradiction> contradictions,
                         Result& result);

}  // namespace npuscope::compare
