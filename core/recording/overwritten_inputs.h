// Recorders that look at an op's inputs when it has run: an op that works in place has written into
// one by then.
#pragma once

#include "core/recording/source.h"

namespace npuscope {

/// Where of every name the first ops that calculate in place (add_, mul_, addcmul_, …) all hold as
/// `self` what they gave out, such ops of the source cannot be computed again: their calls() say
/// why there are none, and the source has a remark. Small tensors are looked at.
void set_apart_overwritten(Source& source);

}  // namespace npuscope
