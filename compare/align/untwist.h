// Neighbours that changed places, where nothing but their shapes and elements tells it.
#pragma once

#include "compare/align/pair_evidence.h"
#include "compare/align/pairing.h"
#include "compare/align/traits.h"

namespace npuscope::compare {

/// Query, key and value of a layer that ran in another order are alike in name and shapes, and
/// their weights are not. Exchanges the partners of near runs of one op whose shapes and elements
/// agree better so, and gives ops without partner that of a near one where it fits them better;
/// never a partner at another place. Complexity: linear.
void untwist(const BothTraits& traits, PairEvidence& evidence, Pairing& pairing);

}  // namespace npuscope::compare
