// From the sums of a tensor pair to a verdict.
#pragma once

#include <functional>

#include "compare/bounds.h"
#include "compare/compare.h"
#include "compare/sums.h"
#include "compare/verdict.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

/// In this order: non-finite elements that differ and differences beyond the bound fail; golden
/// values outside the target's range are out_of_range; no pair of finite elements is undefined; all
/// zero or (from two elements on) constant is mistrusted; the rest passes. Threads: pure function.
[[nodiscard]] Judgement judge(const Sums& sums, const Bound& bound, DType dtype);

/// Judges a measured tensor that exceeds its bound once more as a sum of `magnitudes()`, which is
/// asked then only (0: it is no sum). Others stay as they are.
void judge_as_sum(TensorResult& measured, DType dtype, const std::function<double()>& magnitudes);

}  // namespace npuscope::compare
