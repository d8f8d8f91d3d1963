// By how much one side's gradients are multiplied: a step in mixed precision scales its loss.
#pragma once

#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// Less than that is no scale of a loss, but a factor that somebody meant.
inline constexpr double kLeastLossScale = 128;

/// How many times `golden` the other is where that is a power of two, as near as rounding leaves
/// it, and not below kLeastLossScale; else 1. Both hold as many elements. Threads: pure function.
[[nodiscard]] double loss_multiple(const Tensor& target, const Tensor& golden);

}  // namespace npuscope::compare
