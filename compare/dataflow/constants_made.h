// Ops of one side alone that make constants which the other side has ready.
#pragma once

#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether these ops (zeros, full, arange, and what is made of them: a mask) take in nothing but
/// numbers and each other's results, and what paired ops take in of them, if anything is known of
/// that, is equal on both sides:
/// the other side did not record how it came by them, or holds them as buffers. Not of random ops.
[[nodiscard]] bool make_equal_constants(const PairedFlows& flows,
                                        const std::vector<const SourceOp*>& ops,
                                        bool of_target);

}  // namespace npuscope::compare
