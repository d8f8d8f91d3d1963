// Tensors of several ranks: copies of one, shards of one, and terms of a sum.
#pragma once

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// In a joined recording (core/recording/joined.h) the tensor of a rank stands where those of the
/// others do. Relates what is free of it to what its siblings are related to: as a copy, or as the
/// shard that its rank has; and sums of what all ranks hold to what one tensor of the other side
/// holds. Does nothing in other recordings.
void relate_ranks(Matches& matches);

}  // namespace npuscope::compare
