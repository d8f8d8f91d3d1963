// How far the losses of two like runs may be apart, from the curves themselves.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace npuscope::loss {

/// Median of the finite values; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// Standard deviation of the steps' scatter around a curve that bends slowly: 1.4826 times the
/// median absolute second difference, over sqrt(6). The second difference x[i-1] - 2 x[i] + x[i+1]
/// of independent scatter s has the variance (1 + 4 + 1) s^2, and is zero on a line.
///
/// Unit    the values'.   Edge  fewer than 3 finite neighbours: 0.
/// Source  Rousseeuw and Croux (1993) for 1.4826 = 1/Phi^-1(3/4); the rest is the sum of variances.
[[nodiscard]] double step_noise(std::span<const double> values);

/// Mean and its standard error, of `blocks` consecutive parts' means: neighbours that go together
/// do not make the error look small.
struct BlockMean {
    double mean = 0;
    double error = 0;  ///< 0 with fewer than two blocks
};
[[nodiscard]] BlockMean block_mean(std::span<const double> values, size_t blocks);

}  // namespace npuscope::loss
