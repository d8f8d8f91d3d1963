// Finds the columns of indices: `nonzero` gives its places in one tensor, and an index takes in
// each axis of them by itself.
#pragma once

#include <vector>

#include "compare/dataflow/trace.h"

namespace npuscope::compare {

/// Each of `inputs` (indices into flow.tensors) that holds whole numbers, changing often enough to
/// tell, and is element by element one column (or row) of an earlier output of whole numbers with
/// two axes gets the latest such output as producer (Passage::kPart). Complexity: one pass over the
/// inputs of whole numbers and over the outputs that may hold one. `threads` 0: all cores.
void find_columns(const Source& source,
                  Dataflow& flow,
                  const std::vector<size_t>& inputs,
                  int threads = 0);

}  // namespace npuscope::compare
