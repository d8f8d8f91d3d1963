// Ops on lists of tensors beside ops on one tensor each.
#pragma once

#include "core/recording/source.h"

namespace npuscope::diagnose {

/// PyTorch's optimizers update all parameters by one op (_foreach_add_) on a GPU, and one after the
/// other on a CPU. Where one side alone has such ops, they become a run of the op for one tensor
/// (add_) each, in the order in which a loop over the tensors runs them; such a run is called by
/// its result in the file. Other sources stay as they are. What the ops read from must be kept by
/// the sources' owners.
void take_lists_apart(Source& target, Source& golden);

}  // namespace npuscope::diagnose
