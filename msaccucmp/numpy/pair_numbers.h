// The float32 numbers behind the reference tool's ten algorithms, from as few passes as possible.
#pragma once

#include <cstddef>

#include "msaccucmp/numpy/float_source.h"

namespace npuscope::msaccucmp {

/// Which groups of numbers are asked for. Differences come always.
struct Wanted {
    bool cosine = false;
    bool divergence = false;
    bool deviation = false;
};

/// x is the my side, y the golden side. NaN propagates as in NumPy. Sums have NumPy's order.
struct PairNumbers {
    size_t count = 0;
    float sum_xx = 0;
    float sum_yy = 0;
    float sum_dd = 0;   ///< (x-y)^2
    float sum_abs = 0;  ///< |x-y|
    float sum_rel = 0;  ///< |x/y - 1| where |y| > eps
    float max_abs = 0;
    float max_rel = 0;
    float cosine = 0;      ///< sum of (x/|x|)(y/|y|)
    float divergence = 0;  ///< Kullback-Leibler
    double mean_x = 0;
    double mean_y = 0;
    double deviation_x = 0;  ///< population standard deviation
    double deviation_y = 0;
};

/// One pass over both sides, a second for any of the groups, a third for the divergence. `x` and
/// `y` have the same count. Members that are not wanted stay 0, as do cosine and divergence of an
/// empty pair; its means and deviations are NaN. The bits do not depend on `threads`. Errors: those
/// of the sources.
[[nodiscard]] PairNumbers pair_numbers(const FloatSource& x,
                                       const FloatSource& y,
                                       const Wanted& wanted,
                                       int threads = 1);

/// NumPy's float32 sum().
[[nodiscard]] float numpy_sum(const float* data, size_t count);

}  // namespace npuscope::msaccucmp
