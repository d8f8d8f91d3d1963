// Memory whose elements no result shows: an op writes over them before any reads them.
#pragma once

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether all elements in which an input that is written in place is not the golden's are written
/// over: by its op, or by those behind it that alone take the tensor and write into it. What the
/// tensor then holds there differs by 1% of that at most, or that is nothing beside it. Memory:
/// four tensors in float64. False where one of them cannot be read.
[[nodiscard]] bool is_written_before_read(const PairedFlows& flows, const InputPair& input);

}  // namespace npuscope::compare
