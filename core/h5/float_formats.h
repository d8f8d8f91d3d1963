// The floating point formats that are stored as such. Included by core/h5/*.cpp only.
#pragma once

#include <cstdint>

#include "core/dtype/dtype.h"

namespace npuscope::h5 {

/// A sign, then the exponent, then the mantissa, whose leading 1 is implied.
struct FloatFormat {
    DType dtype;
    uint8_t exponent_bits, mantissa_bits;
    uint32_t bias;
};
inline constexpr FloatFormat kFloatFormats[] = {{DType::kFloat16, 5, 10, 15},
                                                {DType::kBFloat16, 8, 7, 127},
                                                {DType::kFloat32, 8, 23, 127},
                                                {DType::kFloat64, 11, 52, 1023}};

}  // namespace npuscope::h5
