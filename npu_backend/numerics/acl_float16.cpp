#include "npu_backend/numerics/acl_float16.h"

#include <cmath>

#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

Float16 acl_float_to_float16(float value) {
    if (std::isnan(value)) return {0x7bff};
    const Float16 nearest = npuscope::to_float16(value);
    return is_finite(nearest) ? nearest : saturated(nearest);
}

float acl_float16_to_float(Float16 value) {
    if (is_finite(value)) return to_float(value);
    const float magnitude =
        std::ldexp(1.0f + static_cast<float>(value.bits & 0x3ffu) / 1024.0f, 31 - 15);
    return (value.bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

}  // namespace npuscope::backend
