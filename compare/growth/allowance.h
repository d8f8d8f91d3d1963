// How far off a result may be for what came in, for rounding, and for what like runs are.
#pragma once

#include "compare/growth/measured_runs.h"

namespace npuscope::compare {

/// Of a norm: so many times farther off than that is no noise.
inline constexpr double kNormGrowth = 4;

/// Of the norm: what is farther off has nothing in its place.
inline constexpr double kNothingAlike = 0.5;

/// Scores that are as large are masked: they add up to nothing.
inline constexpr double kMasked = 1e4;

/// What rounding results to so many bits makes of them.
[[nodiscard]] Distance rounding_to(int bits);

/// Of the norm: what no op is to be blamed for, wherever it came from.
[[nodiscard]] double noise_of(const MeasuredRun& run);

/// What a result may be off by before anything grows.
[[nodiscard]] Distance unsuspicious(const MeasuredRun& run);

/// The largest of its distances over what they may be. Above 1 the error grew in the op, or in
/// those it crossed.
[[nodiscard]] double growth_of(const MeasuredRun& run);

/// Whether more than `share` of how far so many elements are off is one factor. Of few, noise makes
/// such a share as well.
[[nodiscard]] bool is_mostly_factor(const Distance& off, int64_t numel, double share);

/// Whether it is the golden's times a positive number, up to what is unsuspicious.
[[nodiscard]] bool is_rescaled(const MeasuredRun& run);

}  // namespace npuscope::compare
