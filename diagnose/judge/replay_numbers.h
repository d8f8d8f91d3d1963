// Numbers of a program that runs again: disturbed ones, and those that a loss scale made larger.
#pragma once

#include <random>

#include "core/tensor/tensor.h"

namespace npuscope::diagnose {

/// Each element of a tensor in float64 times 1 + unit or 1 - unit, drawn at random; others as they
/// are.
[[nodiscard]] Tensor disturbed(const Tensor& tensor, double unit, std::mt19937_64& random);

/// In float64.
[[nodiscard]] Tensor times(const Tensor& tensor, double factor);

/// The power of two that makes the golden's gradients the target's, whose loss was multiplied by it
/// against underflow; 1 where none does within `allowed` of the norm. Tensors in float64.
[[nodiscard]] double loss_scale(const Tensor& target, const Tensor& golden, double allowed);

}  // namespace npuscope::diagnose
