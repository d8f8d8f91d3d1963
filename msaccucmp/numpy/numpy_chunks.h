// The float32 sums behind the reference tool's numbers, one chunk of elements at a time, in NumPy's
// order and with NumPy's bits.
//
// NumPy cuts float32 (and float64) sums into chunks of 8192 elements, sums each chunk pairwise and
// adds the chunks one after the other; the caller does the latter. Within a chunk of n elements:
// n < 8 one after the other; n <= 128 eight running sums that take every eighth element; else two
// halves, the first a multiple of 8. Source: NumPy 1.24, numpy/core/src/umath/loops_utils.h.src
// (pairwise_sum), buffer size 8192.
//
// Vector code is chosen at run time; every choice gives the same bits.
#pragma once

#include <cstddef>

namespace npuscope::msaccucmp {

inline constexpr size_t kSumChunk = 8192;

/// What one chunk adds to the first pass. x is the my side, y the golden side.
struct DifferenceSums {
    float xx = 0;
    float yy = 0;
    float dd = 0;   ///< (x-y)^2
    float abs = 0;  ///< |x-y|
    float rel = 0;  ///< |x/y - 1| where |y| exceeds the float64 epsilon, 0 elsewhere
    double x = 0;   ///< in double
    double y = 0;
    float max_abs = 0;  ///< NaN wins, here and in max_rel
    float max_rel = 0;
    float min_x = 0;  ///< of at least one element; not meaningful when there is a NaN
    float max_x = 0;
    float min_y = 0;
    float max_y = 0;
};

/// Values moved to [0, 1] unless all are equal, and kept above the float32 epsilon.
struct Normaliser {
    float low = 0;
    float range = 0;
};

/// What the second pass must know of the first.
struct Centres {
    float norm_x = 0;
    float norm_y = 0;
    double mean_x = 0;
    double mean_y = 0;
    Normaliser p;  ///< of x
    Normaliser q;  ///< of y
};

struct CentredSums {
    float cosine = 0;  ///< (x/norm_x) (y/norm_y)
    float mass_p = 0;
    float mass_q = 0;
    double squares_x = 0;  ///< (x-mean_x)^2 in double
    double squares_y = 0;
};

struct Masses {
    Normaliser p;
    Normaliser q;
    float mass_p = 0;
    float mass_q = 0;
};

/// All take 1 to kSumChunk elements; pointers need no alignment. Threads: pure functions.
[[nodiscard]] DifferenceSums difference_sums(const float* x, const float* y, size_t count);
[[nodiscard]] CentredSums centred_sums(const float* x,
                                       const float* y,
                                       size_t count,
                                       const Centres& centres);
/// Sum of p ln(p/q), p and q the normalised values divided by their masses.
[[nodiscard]] float divergence_sum(const float* x,
                                   const float* y,
                                   size_t count,
                                   const Masses& masses);
[[nodiscard]] float plain_sum(const float* x, size_t count);

}  // namespace npuscope::msaccucmp
