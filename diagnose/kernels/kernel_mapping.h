// From traced and judged kernels to the rows of a mapping.
#pragma once

#include <span>
#include <vector>

#include "diagnose/kernels/kernel_trace.h"
#include "diagnose/kernels/mapping.h"

namespace npuscope::diagnose {

/// Fills `op.kernels` and `op.first_culprit`; `inputs` and `results` are those of the op.
void map_kernels(std::span<const TracedKernel> kernels,
                 const std::vector<KernelJudgement>& judgements,
                 const NamedValues& inputs,
                 const NamedValues& results,
                 MappedOp& op);

/// The judgement of a kernel into its row, whose inputs and outputs are there.
void take(const KernelJudgement& judgement, MappedKernel& row);

}  // namespace npuscope::diagnose
