// From traced and judged kernels to the rows of a mapping.
#pragma once

#include <span>
#include <vector>

#include "diagnose/kernel_trace.h"
#include "ir_tbe_map/mapping.h"

namespace npuscope::diagnose {

/// Fills `op.kernels` and `op.first_culprit`; `inputs` and `results` are those of the op.
void map_kernels(std::span<const TracedKernel> kernels,
                 const std::vector<KernelJudgement>& judgements,
                 const NamedValues& inputs,
                 const NamedValues& results,
                 ir_tbe_map::MappedOp& op);

}  // namespace npuscope::diagnose
