// A dumped tensor without the padding of its memory format, and tensors cut to a smaller shape.
#pragma once

#include <optional>

#include "core/cann_dump/op.h"
#include "core/layout/plan.h"

namespace npuscope::cann_dump {

/// The tensor without padding, in NCHW or ND, where the dump says its original shape; as it is
/// stored where it does not, or where that cannot be done.
[[nodiscard]] RealArray unpadded(const DumpedTensor& tensor);

/// What the plan makes of `data`. Errors: Error(kFormat) when the elements are not as many as the
/// plan's source has.
[[nodiscard]] RealArray converted(const layout::FormatPlan& plan, const RealArray& data);

/// Cut down to `wanted` (both filled with 1s up to four dims) where it is larger; nothing where it
/// is smaller.
[[nodiscard]] std::optional<RealArray> cut_to(const RealArray& data, const Shape& wanted);

}  // namespace npuscope::cann_dump
