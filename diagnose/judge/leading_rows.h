// The first rows of a large product: what tells its class as well as all of it, and costs less.
#pragma once

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// `run` with so few rows of its operands and its result (along their first axis) that the result
/// has about `elements`; the run itself where it is smaller, or where its rows depend on others.
[[nodiscard]] OpRun leading_rows(OpRun run, int64_t elements);

}  // namespace npuscope::diagnose
