// Runs of an op on inputs that are equal, whatever it computes.
#pragma once

#include "compare/bounds.h"
#include "compare/compare.h"

namespace npuscope::compare {

/// No input is farther off than its bound, and no number differs; false of a run without inputs.
[[nodiscard]] bool inputs_agree(const OpResult& op);
/// Of a run that recorded them: both sides were given the same numbers.
[[nodiscard]] bool inputs_are_equal(const OpResult& op);
/// Element by element.
[[nodiscard]] bool are_equal(const TensorResult& tensor);

/// By more than an op that nobody can compute makes of inputs that are not quite equal.
[[nodiscard]] bool is_far_off(const TensorResult& result);

/// Judges a result of an op that nobody can compute by the bound of what it may have computed in,
/// where that is wider: its tensors may be float32's while the file's arithmetic is narrower.
void hold_to_like(ComputeType like, const Bounds& bounds, TensorResult& result);

}  // namespace npuscope::compare
