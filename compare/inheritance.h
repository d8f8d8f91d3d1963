// Tells an error that came in through an op's inputs from one that the op made.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// How much larger than the worst of its inputs' errors an op's error may be and still count as
/// inherited. Relative errors, max|t-g| / max|g|. Beyond it the op is blamed; an isolated run tells
/// for sure.
inline constexpr double kMostAmplification = 10;
/// How much larger than every earlier op's error an input's error may be and still come from them.
inline constexpr double kMostAccumulation = 2;

/// In a comparison of free runs (inputs recorded on both sides), turns kFail into kInherited where
/// the error is finite, an input of the op is off by enough to explain it, and earlier ops explain
/// that input. Inputs that nothing before them explains stay kFail: then the two runs were fed
/// different data. `ops` in the order they ran. Complexity: linear.
void mark_inherited(std::vector<OpResult>& ops);

}  // namespace npuscope::compare
