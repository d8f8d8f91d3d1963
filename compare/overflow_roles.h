// Which ops overflowed by the status that the dumps recorded, and who is to blame.
#pragma once

#include <vector>

#include "compare/compare.h"

namespace npuscope::compare {

/// Sets `overflow` and `overflow_note` of the ops in which the target's float status says overflow
/// and the golden's does not (a side without a status raised none). The inputs of an op count as
/// damaged where one differs from the golden's and an op before it overflowed. `ops` in the order
/// they ran, judged. Complexity: linear.
void mark_overflow(std::vector<OpResult>& ops);

}  // namespace npuscope::compare
