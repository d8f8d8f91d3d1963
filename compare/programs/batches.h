// Two runs of one program on batches of other sizes.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where nearly all results of one side that hold the other's are as many times larger, and nothing
/// of the other side is in their rest, the batch is another: a note says so, and a difference of
/// the programs that was found (a loss, the sum of a gradient) is that of the batches. After
/// find_culprits().
void take_batches(const Plan& plan, Result& result);

}  // namespace npuscope::compare
