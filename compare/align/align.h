// Two free runs beside each other, as a diff of programs.
#pragma once

#include "compare/match.h"
#include "core/recording/source.h"

namespace npuscope::compare {

/// Pairs the ops of two dumps by what they compute, their tensors' shapes, their places in the
/// program, and the order in which they ran (sequence.h); of layers that look alike, by some of
/// their elements (slide.h). A product and the addition of its bias pair with the op that computes
/// both. Equal ops whose order changed are paired as well. What is left is told in partings; copies
/// and casts that only one side has in `casts`. Borrows both.
[[nodiscard]] Plan align_runs(const Source& target, const Source& golden);

}  // namespace npuscope::compare
