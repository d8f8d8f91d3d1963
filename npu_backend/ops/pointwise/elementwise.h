// Lowerings of element-wise ops, which many families share. The kernel is the row's first.
#pragma once

#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

/// self, in its own dtype.
void lower_unary(Lowering& op);
/// self, as a float.
void lower_float(Lowering& op);
/// self and the row's argument (other when it names none), in one dtype. Either may be a number.
void lower_binary(Lowering& op);
/// The same, as floats.
void lower_binary_float(Lowering& op);
/// The same, to bool.
void lower_comparison(Lowering& op);

}  // namespace npuscope::backend
