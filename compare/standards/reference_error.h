// A result against the float64 reference, as CANN's precision standards measure it.
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype/compute_type.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

/// MARE = max |a - r| / (|r| + 1e-7), MERE its mean, RMSE = sqrt(mean (a - r)^2).
struct ReferenceError {
    double mare = 0;
    double mere = 0;
    double rmse = 0;
    int64_t small_wrong = 0;  ///< small values that are off by more than SmallValues::error
};

/// Values so near 0 that relative errors say nothing.
struct SmallValues {
    double threshold = 0;  ///< |r| below it is small
    double error = 0;      ///< and may be off by this
};
/// By the dtype of the result; of float32 that was computed as HF32 its own.
[[nodiscard]] SmallValues small_values_of(DType dtype, ComputeType computed);
/// What MERE stays below in the community's standard, and a tenth of what MARE does.
[[nodiscard]] double community_threshold(DType dtype, ComputeType computed);

/// Of the elements that `counted` marks (all where it is empty). `actual` and `reference` have one
/// size. Without an element: all 0.
[[nodiscard]] ReferenceError reference_error(std::span<const double> actual,
                                             std::span<const double> reference,
                                             const SmallValues& small,
                                             std::span<const uint8_t> counted = {});

/// `own` over `third`; both 0: 1, `third` alone 0: infinity.
[[nodiscard]] double error_ratio(double own, double third);

/// How infinities and NaN of a result stand.
struct SpecialValues {
    int64_t count = 0;  ///< elements that are special in the result or the reference
    int64_t wrong = 0;
    int64_t unexplained = 0;  ///< result, reference and third chip all differ: to be looked into
};

/// `third` may be empty. With `infinities_count` (910B and later) infinities are results like
/// others; without, NaN alone must agree. Marks in `counted` what is not special.
[[nodiscard]] SpecialValues special_values(std::span<const double> actual,
                                           std::span<const double> reference,
                                           std::span<const double> third,
                                           bool infinities_count,
                                           std::span<uint8_t> counted);

}  // namespace npuscope::compare
