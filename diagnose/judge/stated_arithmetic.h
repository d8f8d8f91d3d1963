// The class of arithmetic that a device says an op has, so that none need be found out.
#pragma once

#include "core/dtype/compute_type.h"
#include "core/dtype/dtype.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

/// Of products and convolutions that `device` computed in `type` (kNone: in that of their results)
/// and that give out `result`, by the device's options.
[[nodiscard]] const ProductClass& stated_product_class(const Device& device,
                                                       ComputeType type,
                                                       DType result);

/// What cuDNN computes float32 products in unless asked for more. Source: PyTorch,
/// torch.backends.cudnn.allow_tf32.
[[nodiscard]] const ProductClass& cudnn_product_class();

/// Of ops of several steps, some of them products of the class.
[[nodiscard]] const VectorClass& vector_class_around(const ProductClass& product);

/// Of all other ops.
[[nodiscard]] const VectorClass& stated_vector_class(ComputeType type, DType result);

}  // namespace npuscope::diagnose
