// Tensors that are a sum of two of the other side, or one of them times a number.
#pragma once

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// Relates free tensors by their sketches, which are linear, to tensors that stand about as far in
/// the other recording. Reads nothing.
void relate_sums(Matches& matches);
/// Pairs free tensors of which one is the other times a number other than 1.
void pair_scaled(Matches& matches);

}  // namespace npuscope::compare
