// The largest finite numbers of the floating-point formats, which programs write where they mean
// minus infinity.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/dtype/dtype.h"

namespace npuscope {

/// `finfo(dtype).min` on both sides, of a dtype each: the same mask, in programs of two dtypes.
[[nodiscard]] inline bool are_extremes(double one, double other) {
    constexpr std::array kFormats = {
        DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};
    const auto is_extreme = [&](double x) {
        return std::ranges::any_of(kFormats, [&](DType format) {
            const double largest = info(format).max_finite;
            return std::abs(x) == largest ||
                   (format != DType::kFloat64 && static_cast<float>(std::abs(x)) == largest);
        });
    };
    return std::signbit(one) == std::signbit(other) && is_extreme(one) && is_extreme(other);
}

/// As are_extremes(), of elements to which small numbers may have been added: the golden's about
/// the largest of its dtype, the target's about that of its own, or infinite.
[[nodiscard]] inline bool are_near_extremes(double target,
                                            DType target_dtype,
                                            double golden,
                                            DType golden_dtype) {
    constexpr double kNear = 0.99;
    return std::signbit(target) == std::signbit(golden) &&
           std::abs(target) >= kNear * info(target_dtype).max_finite &&
           std::abs(golden) >= kNear * info(golden_dtype).max_finite;
}

}  // namespace npuscope
