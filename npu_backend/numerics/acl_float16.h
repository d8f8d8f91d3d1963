// float16 as CANN's host library converts it, which is not how the chip does.
#pragma once

#include "core/dtype/float16.h"

namespace npuscope::backend {

/// aclFloatToFloat16: to nearest even, always saturating; nan becomes 65504, whatever its sign.
/// Source: CANN runtime, fp16_impl.cpp.
[[nodiscard]] Float16 acl_float_to_float16(float value);

/// aclFloat16ToFloat: reads the exponent of inf and nan as an ordinary one, so that 0x7C00 is 65536
/// and 0x7E00 is 98304. Source: CANN runtime, fp16_impl.cpp.
[[nodiscard]] float acl_float16_to_float(Float16 value);

}  // namespace npuscope::backend
