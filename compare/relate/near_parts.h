// Parts of others whose elements no longer tell: found beside parts that are known.
#pragma once

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Ops whose weights are parts of another op's weight have results that are parts of its results,
/// and so have their gradients. Relates free tensors of such ops by the slice that fits best, of
/// the place and extent that the known part has. Returns how many were related.
size_t relate_near_parts(Matches& matches, const SourcePair& sources);

}  // namespace npuscope::compare
