// What one tensor's values look like: counts, extremes, mean and a histogram.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/element_source.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// Extremes, mean and deviation are over the finite elements and 0 when there are none; 64-bit
/// integers are taken as doubles, so above 2^53 they are rounded.
struct Statistics {
    int64_t count = 0;
    int64_t finite = 0;
    int64_t nan = 0;
    int64_t positive_inf = 0;
    int64_t negative_inf = 0;
    int64_t zero = 0;
    double min = 0;
    double max = 0;
    double mean = 0;
    double deviation = 0;  ///< population standard deviation

    [[nodiscard]] double norm() const;  ///< Euclidean, of the finite elements
    /// As a recorder that treats all elements alike gives them: infinities count; NaN without any
    /// element that is a number. The mean of infinities of both signs is NaN.
    [[nodiscard]] double max_of_numbers() const;
    [[nodiscard]] double min_of_numbers() const;
    [[nodiscard]] double mean_of_numbers() const;
};

/// Two passes, sums in double over tiles of 8192 elements merged in order.
[[nodiscard]] Statistics statistics_of(const Tensor& tensor);
/// The same piece by piece. Errors: those of the source.
[[nodiscard]] Statistics statistics_of(const ElementSource& tensor);

/// Finite elements in `bins` equal intervals of [min, max], the last one closed. All in the first
/// bin when min equals max; empty when there is no finite element.
[[nodiscard]] std::vector<int64_t> histogram_of(const Tensor& tensor,
                                                const Statistics& statistics,
                                                int bins);
[[nodiscard]] std::vector<int64_t> histogram_of(const ElementSource& tensor,
                                                const Statistics& statistics,
                                                int bins);

}  // namespace npuscope
