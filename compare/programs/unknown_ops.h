// Ops that nobody can compute, whose results are far off where nothing before them is.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// A chip's or framework's own op cannot be computed again, and is `not_provable`. Where its first
/// result is farther off than 0.02 of max|g|, than eight times all that was compared before it and
/// all that it was given, and than four times what the middle of its like runs is, the error begins
/// in it: a `fail`. Not of random ops, of ops without recorded inputs, nor of those that the sides
/// call by two names. `plan` is the result's, of a pairing by names. Complexity: one pass over
/// what was measured.
void accuse_unknown_ops(const Plan& plan, Result& result);

/// Beside functions that were computed again, a module that is off by no more than a chain of them
/// leaves proves nothing: what it ran was judged. `plan` is the result's.
void forgive_modules(const Plan& plan, Result& result);

}  // namespace npuscope::compare
