// Whether what an op was given changes what it makes.
#pragma once

#include <string>

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Whether a pair of ops of one kind, computed on what either side was given, differs in a result
/// by more than either side's rounding and than anything else it was given, and so by `tensor`, a
/// path of the target. False where the pair cannot be computed.
[[nodiscard]] bool is_felt(const OpPair& pair, const OpResult& op, const std::string& tensor);

}  // namespace npuscope::compare
