// Element-wise loops over float32 with vectors: the bits and the status of the scalar loops of
// pointwise.h.
#pragma once

#include <cstdint>

#include "core/event/observer.h"

namespace npuscope::backend {

enum class FloatOperation : uint8_t { kAdd, kSub, kMul };

/// out[i] = a[i * step_a] op b[i * step_b]; steps 0 or 1. One rounding: a sum, difference or
/// product of two float32 rounds from double to the same float32.
[[nodiscard]] FloatStatus combine_floats(FloatOperation operation,
                                         const float* a,
                                         int64_t step_a,
                                         const float* b,
                                         int64_t step_b,
                                         float* out,
                                         int64_t count);

/// out[i] = max(x[i], 0), nan for nan.
[[nodiscard]] FloatStatus relu_floats(const float* x, float* out, int64_t count);

/// out[i] = x[i] * factor + addend, each step rounded to float32, as BNInfer has it.
void scale_floats(const float* x, float factor, float addend, float* out, int64_t count);

}  // namespace npuscope::backend
