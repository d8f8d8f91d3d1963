// Masks of two programs: minus infinity that is added, or ones where elements are filled.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Whether the results of a pair are two numbers on either side, whatever they are, and one of them
/// stands where one of the other side's does. Errors: none; what cannot be read is no mask.
[[nodiscard]] bool hides_alike(const OpPair& pair, const TensorResult& result);

}  // namespace npuscope::compare
