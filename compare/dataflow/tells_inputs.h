// Whether a recording tells what its ops took in.
#pragma once

#include <algorithm>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Of any op, with elements.
[[nodiscard]] inline bool tells_inputs(const Side& side) {
    return std::ranges::any_of(side.flow.tensors, [](const TracedTensor& tensor) {
        return tensor.direction == dumpfile::Direction::kInput && tensor.content;
    });
}

}  // namespace npuscope::compare
