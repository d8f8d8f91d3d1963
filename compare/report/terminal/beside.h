// What is said beside the verdicts: a named standard's words, and what does not count.
#pragma once

#include <cstdint>
#include <string>

#include "compare/compare.h"

namespace npuscope::compare {

/// "1 op", "3 ops"
[[nodiscard]] std::string counted_ops(int64_t count);

/// What a named standard says, and where it is of another mind: of some ops, of `all`. "" where
/// none was asked for.
[[nodiscard]] std::string standard_text(const Result& result, bool all);

/// Findings that do not count, and why; "" without a gate.
[[nodiscard]] std::string gate_text(const Result& result);

}  // namespace npuscope::compare
