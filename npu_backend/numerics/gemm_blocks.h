// Matrix products by the blockwise exact model, at the speed of float64.
#pragma once

#include <span>

#include "npu_backend/numerics/cube_chain.h"
#include "npu_backend/numerics/gemm.h"

namespace npuscope::backend {

/// c += a b, each chain as chain() computes it for CubeAccumulation::kBlockExact with
/// `model.block`. Sums in float64 decide the rounding of nearly every block; where they cannot,
/// chain() does.
void gemm_blocks(const Chains<float>& chains,
                 const CubeModel& model,
                 const Lines<float>& left,
                 const PackPanel<float>& pack_right,
                 int threads);

}  // namespace npuscope::backend
