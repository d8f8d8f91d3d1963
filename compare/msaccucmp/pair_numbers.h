// The float32 numbers behind the reference tool's ten algorithms, from as few passes as possible.
#pragma once

#include <cstddef>

namespace npuscope::compare::msaccucmp {

/// Which groups of numbers are asked for.
struct Wanted {
    bool differences = false;  ///< |x-y|, (x-y)^2, |x/y - 1|, and x^2, y^2
    bool cosine = false;
    bool divergence = false;
    bool deviation = false;
};

/// x is the my side, y the golden side. NaN propagates as in NumPy. Sums have NumPy's order.
struct PairNumbers {
    size_t count = 0;
    float sum_xx = 0;
    float sum_yy = 0;
    float sum_dd = 0;
    float sum_abs = 0;
    float sum_rel = 0;
    float max_abs = 0;
    float max_rel = 0;
    float cosine = 0;      ///< sum of (x/|x|)(y/|y|)
    float divergence = 0;  ///< Kullback-Leibler
    double mean_x = 0;
    double mean_y = 0;
    double deviation_x = 0;
    double deviation_y = 0;
};

/// Undefined members (of an empty pair, or not wanted) stay 0. Threads: pure function.
[[nodiscard]] PairNumbers pair_numbers(const float* x,
                                       const float* y,
                                       size_t count,
                                       const Wanted& wanted);

/// NumPy's float32 sum().
[[nodiscard]] float numpy_sum(const float* data, size_t count);

}  // namespace npuscope::compare::msaccucmp
