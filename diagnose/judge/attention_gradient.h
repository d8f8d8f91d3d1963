// The gradients of attention, whoever recorded them.
#pragma once

#include <vector>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// PyTorch's by any name, or torch_npu's.
[[nodiscard]] bool is_gradient_of_attention(const OpRun& run);

/// By element of the gradient by query or key, the magnitude of what cancels inside of it: of
/// p (dp - sum p dp), p (|dp| + sum p |dp|), and with products of magnitudes all along. Empty of
/// other results.
[[nodiscard]] std::vector<double> sizes_inside_attention(const OpRun& run,
                                                         const RecordedResult& result);

}  // namespace npuscope::diagnose
