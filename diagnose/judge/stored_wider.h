// Recorders without bfloat16 (NumPy has none) write it as float32.
#pragma once

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// A run whose float32 tensors, what it took in and what it gave out, all hold numbers of bfloat16
/// ran in that: they become what they were. A norm's parameters and statistics may be of float32
/// all the same, and what goes into the gradient of a softmax. Where too few elements tell, nothing
/// is done, unless the recorder is known to.
void narrow_stored_wider(OpRun& run, bool is_known = false);

/// Where some runs' numbers of bfloat16 can only be rounded ones, all ops of the source are marked
/// so (SourceOp::stores_wider). Small runs are looked at, evenly. What cannot be read tells
/// nothing.
void mark_stored_wider(Source& source);

}  // namespace npuscope::diagnose
