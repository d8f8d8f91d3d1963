// Tensors that are a part of one of the other side: of what is fused, padded, cut or sharded.
#pragma once

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Relates free tensors to the slice, along one axis, of a larger tensor of the other side that
/// holds their elements; the axes of either may be permuted, split or joined. Several may be parts
/// of one. Complexity: a pass over the larger tensors, and a few over each pair that shares its
/// largest elements.
void relate_parts(Matches& matches, const SourcePair& sources);

}  // namespace npuscope::compare
