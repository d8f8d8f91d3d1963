// Absolute and relative error of every element, in the dtype in which NumPy would compute them.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::msaccucmp {

/// The dtype of NumPy's a - b. Source: NumPy 1.24, numpy.promote_types.
[[nodiscard]] DType promoted(DType a, DType b);

struct ElementErrors {
    std::vector<double> absolute;  ///< |my - golden|
    std::vector<double> relative;  ///< absolute / |golden|
};

/// Both have the same numel and are not both bool. Integers wrap around as NumPy's do and are
/// divided in float64; float16 is rounded after every step.
[[nodiscard]] ElementErrors element_errors(const Tensor& my, const Tensor& golden);

}  // namespace npuscope::msaccucmp
