// Finds what an input is a part of: a slice, a chunk, a row, or a tensor expanded.
#pragma once

#include <vector>

#include "compare/dataflow/trace.h"

namespace npuscope::compare {

/// Each of `inputs` (indices into flow.tensors) without a producer whose telling elements all occur
/// in an earlier output gets the latest such output as producer (Passage::kPart). Elements of 16
/// bits tell in runs of four; where only single ones occur the producer is ambiguous. An input of
/// few values is looked for as the whole of a small output, expanded, one of whole numbers as the
/// column of an output (find_columns()). Others with too few telling elements stay as they are.
/// Complexity: one pass over the outputs that come before the last of the inputs, whatever their
/// number. `threads` 0: all cores.
void find_parts(const Source& source,
                Dataflow& flow,
                const std::vector<size_t>& inputs,
                int threads = 0);

}  // namespace npuscope::compare
