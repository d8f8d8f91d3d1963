// Tensors whose elements no longer tell: paired by their place between others that are paired.
#pragma once

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Pairs free tensors by what ops next to them have (likelihood.h), then, between neighbours that
/// are paired in order on both sides, by the alignment that most speaks for. How their elements are
/// arranged is looked for in the elements, else taken from pairs of the same shapes. Complexity: a
/// table for each gap between such neighbours; larger gaps than some thousand tensors on both sides
/// are left to the first step.
void pair_by_place(Matches& matches, const SourcePair& sources);

}  // namespace npuscope::compare
