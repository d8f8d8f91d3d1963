// What a step of training before gave the same op.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Of an input of floats that no op of the side made: what an op of that name took in for that
/// argument up to the last op of a backward pass before any op took in this, so that a step that is
/// not recorded made it of that: the nearest of that shape, unless none is near.
/// Complexity: samples each of that shape. Errors: as open_traced().
[[nodiscard]] std::optional<size_t> given_a_step_before(const Side& side, size_t input);

}  // namespace npuscope::compare
