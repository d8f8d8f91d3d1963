// One op of the target, judged by itself.
#pragma once

#include <functional>
#include <vector>

#include "compare/compare.h"
#include "compare/match.h"
#include "compare/split.h"

namespace npuscope::compare {

/// A result and what its op introduced into it.
struct AloneResult {
    SourceTensor tensor;
    Split split;
};

/// The results that `which` chooses, on the op's own inputs, as far as `splitter` knows what these
/// are for the pair. Errors: as SourceOp::load() and Splitter::split().
[[nodiscard]] std::vector<AloneResult> judged_alone(
    const Splitter& splitter,
    const OpPair& pair,
    const std::function<bool(const SourceTensor&)>& which);

}  // namespace npuscope::compare
