// Matrix products by the blockwise exact model where products are too wide for gemm_blocks():
// float32 by float32.
#pragma once

#include "npu_backend/numerics/cube_chain.h"
#include "npu_backend/numerics/gemm.h"

namespace npuscope::backend {

/// c += a b, each chain as chain() computes it for CubeAccumulation::kBlockExact with
/// `model.block`; all operands finite. Sums in float64 with a bound on their error decide nearly
/// every rounding, chain() the others.
void gemm_wide_blocks(const Chains<float>& chains,
                      const CubeModel& model,
                      const Lines<float>& left,
                      const PackPanel<float>& pack_right,
                      int threads);

}  // namespace npuscope::backend
