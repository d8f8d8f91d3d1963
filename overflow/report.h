// The words and the JSON in which a watched run's overflow is told.
#pragma once

#include <string>

#include "overflow/record.h"

namespace npuscope::overflow {

/// "IR: addmm SeqId: 17 overflow introduced by MatMul: Cube accumulator (bit 10)", names made
/// printable, no newline.
[[nodiscard]] std::string line_of(const OverflowRecord& record);

/// The first origin, then every op that overflowed, who only received, and what is no overflow.
/// Ends with a newline.
[[nodiscard]] std::string to_text(const OverflowReport& report);

/// An array: record_json() of each op of `records`, then of `receivers`, then of `foreign`.
[[nodiscard]] std::string to_json(const OverflowReport& report);

}  // namespace npuscope::overflow
