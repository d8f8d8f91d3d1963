#pragma once

#include "compare/compare.h"
#include "compare/dataflow/traced.h"
#include "compare/match.h"

namespace npuscope::compare {

/// A step in mixed precision multiplies its loss by a power of two, so that small gradients do not
/// vanish in float16, and divides its gradients by it again (PyTorch's GradScaler). A side that has
/// such multiplications more is another way to compute the same, and no parting: its gradients,
/// which are as many times the golden's, are inherited from there. Of plans whose ops are the
/// result's; of results alone, by what earlier ops made.
void take_loss_scale(Plan& plan, const Traced& traced, Result& result);

}  // namespace npuscope::compare
