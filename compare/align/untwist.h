// Neighbours that are alike and changed places, where nothing but their elements tells it.
#pragma once

#include "compare/align/evidence.h"
#include "compare/align/pairing.h"
#include "compare/align/traits.h"

namespace npuscope::compare {

/// Recordings without places: query, key and value of a layer that ran in another order are alike
/// in name and shapes, and their weights are not. Exchanges the partners of alike neighbours whose
/// elements agree better so; does nothing where any op's place is told. Complexity: linear.
void untwist(const BothTraits& traits, ElementEvidence& evidence, Pairing& pairing);

}  // namespace npuscope::compare
