// Parameters behind training, and nothing else.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// Of a checkpoint most of whose parameters are others: training made that, of rounding or of a
/// fault. What is beyond its tolerance becomes not provable, and a note says so, but for what is
/// nothing like the golden's, or mostly a multiple of it.
void doubt_checkpoint(Result& result);

}  // namespace npuscope::compare
