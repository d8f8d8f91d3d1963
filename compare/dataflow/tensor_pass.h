// One pass over the tensors of a source, ops in parallel, with little of a mapped file in memory.
#pragma once

#include <functional>
#include <vector>

#include "compare/dataflow/trace.h"

namespace npuscope::compare {

/// Calls visit(op) for each op, on up to `threads` threads (0: all cores), in any order.
void for_each_op(const Source& source, int threads, const std::function<void(size_t op)>& visit);

/// Calls visit(at, elements) for each tensors[at], which ascend. What cannot be read is left out.
void for_each_traced(const Source& source,
                     const Dataflow& flow,
                     const std::vector<size_t>& tensors,
                     int threads,
                     const std::function<void(size_t at, const ElementSource& elements)>& visit);

}  // namespace npuscope::compare
