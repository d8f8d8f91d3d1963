// A sum that cancels is held against what was added.
#pragma once

#include <functional>

#include "compare/compare.h"

namespace npuscope::compare {

/// Judges a measured tensor that exceeds its bound once more as a sum of `magnitudes()`, which is
/// asked then only (0: it is no sum). Others stay as they are.
void judge_as_sum(TensorResult& measured, DType dtype, const std::function<double()>& magnitudes);

}  // namespace npuscope::compare
