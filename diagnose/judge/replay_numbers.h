// Numbers of a program that runs again: disturbed ones, and those that a loss scale made larger.
#pragma once

#include <random>
#include <span>

#include "core/tensor/tensor.h"

namespace npuscope::diagnose {

/// How many times farther off than what disturbed inputs make honest results may be, and in units
/// what always is allowed. Float32 sums of other orders are farther off than one rounding.
struct Allowance {
    double times = 8;
    double least = 8;
};
inline constexpr Allowance kOfNarrow{};
inline constexpr Allowance kOfFloat32{.times = 16, .least = 16};

/// Of the norm: what steps in float32 leave, and no steps in 16 bits.
inline constexpr double kTight = 1e-4;

/// Whether rounding may leave so much of the norm, `honest`, that numbers tell nothing, and any
/// would agree. `unit` is that of the op's arithmetic, whose roundings alone are no noise.
[[nodiscard]] bool is_noise(double honest, double unit);

/// Whether a result that is `off` by no more than that is no proof of it all the same: noise, or
/// farther off than what coarse arithmetic mostly leaves. What is as good as equal is one.
[[nodiscard]] bool tells_little(double off, double honest, double unit);

/// Each element of a tensor in float64 times 1 + unit or 1 - unit, drawn at random, and off by
/// `lost`, or by itself where it is smaller; others as they are.
[[nodiscard]] Tensor disturbed(const Tensor& tensor,
                               double unit,
                               std::mt19937_64& random,
                               double lost = 0);

/// Euclidean.
[[nodiscard]] double norm_of(std::span<const double> numbers);

/// In float64.
[[nodiscard]] Tensor times(const Tensor& tensor, double factor);

/// Whether the one is a number times the other, but for rounding. Floats in float64.
[[nodiscard]] bool is_multiple(const Tensor& target, const Tensor& golden);

/// The power of two that makes the golden's gradients the target's, whose loss was multiplied by it
/// against underflow; 1 where none does within `allowed` of the norm, and of whole numbers. Floats
/// in float64.
[[nodiscard]] double loss_scale(const Tensor& target, const Tensor& golden, double allowed);

}  // namespace npuscope::diagnose
