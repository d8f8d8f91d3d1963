// Conversion of a tensor to another dtype by the rules of a chip or a reference.
#pragma once

#include "core/tensor/tensor.h"
#include "npu_backend/numerics/numerics.h"

namespace npuscope::backend {

/// To a float: one rounding to nearest even, saturating where the chip does. To an integer on a
/// chip: toward zero, clamped, nan becomes 0; 8-bit integers wrap instead, as the operator Cast
/// does. To an integer under a reference: as NumPy's astype. Overflow of finite values raises
/// kOverflow, inf and nan kVectorInputNonFinite, a negative number for an unsigned integer
/// kNegativeToUnsigned.
/// Source: asc-devkit Cast boundary table; CANN operator Cast.
[[nodiscard]] Tensor cast_tensor(const Tensor& source,
                                 DType target,
                                 const Numerics& numerics,
                                 FloatStatus& status);

}  // namespace npuscope::backend
