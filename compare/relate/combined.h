// Tensors that are a sum of two of the other side, or one of them times a number.
#pragma once

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Relates free tensors by their sketches, which are linear, to tensors that stand about as far in
/// the other recording. The result of a cast has the partner of what was cast, and is no sum. Reads
/// nothing.
void relate_sums(Matches& matches, const SourcePair& sources);
/// Pairs free tensors of which one is the other times a number other than 1.
void pair_scaled(Matches& matches);

}  // namespace npuscope::compare
