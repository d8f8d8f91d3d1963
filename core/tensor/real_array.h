// The real numbers of an array of any dtype that NumPy has.
#pragma once

#include <string>

#include "core/tensor/tensor.h"

namespace npuscope {

/// All of the array, or the real part of complex elements.
struct RealArray {
    Tensor values;
    std::string
        dtype;  ///< NumPy's name of the array's dtype, "complex64" and "complex128" included

    [[nodiscard]] const Shape& shape() const { return values.shape(); }
    [[nodiscard]] RealArray reshaped(const Shape& shape) const {
        return {values.reshaped(shape), dtype};
    }
};

}  // namespace npuscope
