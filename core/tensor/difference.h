// How far two tensors of one shape are apart, whatever their dtypes.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace npuscope {

struct Difference {
    double max_abs = 0;   ///< max|a - b|; infinity where only one side is NaN, or inf of that sign
    double largest = 0;   ///< max|b| over finite values
    int64_t unequal = 0;  ///< elements that differ; two NaN do not

    /// max_abs / largest, max_abs where largest is 0.
    [[nodiscard]] double relative() const { return largest > 0 ? max_abs / largest : max_abs; }
};

/// Elements as double. Memory: two tiles. Errors: Error(kInternal) when the shapes differ.
[[nodiscard]] Difference difference(const Tensor& a, const Tensor& b);

}  // namespace npuscope
