// Recordings that hold some runs of each op alone: their recorder was asked for a sample.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Where one side holds a smaller share of its runs than the other, what the other alone has is not
/// missing: these partings are spans after that, and a note says so. Where the side of the smaller
/// share has ops of its own, the programs part. `plan` is the result's.
void forget_unsampled(int64_t target_sample, int64_t golden_sample, Plan& plan, Result& result);

}  // namespace npuscope::compare
