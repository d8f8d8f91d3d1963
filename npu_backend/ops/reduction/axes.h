// The axes that a reduction runs over, as CANN's reductions take them.
#pragma once

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

/// The axes that `dim` names (an int, a list or None), from the front; all where it names none, or
/// the op has no such argument.
[[nodiscard]] IntList axes_of(const Lowering& op, int64_t ndim);
/// keepdim, where the op has it.
[[nodiscard]] bool keeps_axes(const Lowering& op);
/// Those as attributes.
[[nodiscard]] NamedValues reduction_of(const Lowering& op, int64_t ndim);
/// dtype, where it is given; else self's for floats, int64 for the others.
[[nodiscard]] DType sum_type(const Lowering& op);

}  // namespace npuscope::backend
