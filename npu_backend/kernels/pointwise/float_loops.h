// Element-wise loops over float32 with vectors: the bits and the status of the scalar loops of
// pointwise.h.
#pragma once

#include <cstdint>

#include "core/event/observer.h"

namespace npuscope::backend {

enum class FloatOperation : uint8_t { kAdd, kSub, kMul };

/// Elements data[i * step]; step 0 (one element for all) or 1.
struct FloatOperand {
    const float* data;
    int64_t step;
};

/// out[i] = a[i] op b[i]. One rounding: a sum, difference or product of two float32 rounds from
/// double to the same float32.
[[nodiscard]] FloatStatus combine_floats(
    FloatOperation operation, FloatOperand a, FloatOperand b, float* out, int64_t count);

/// out[i] = max(x[i], 0), nan for nan.
[[nodiscard]] FloatStatus relu_floats(const float* x, float* out, int64_t count);

/// out[i] = x[i] * factor + addend, each step rounded to float32, as BNInfer has it.
void scale_floats(const float* x, float factor, float addend, float* out, int64_t count);

}  // namespace npuscope::backend
