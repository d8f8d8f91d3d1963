// Ops that ran in another order on either side.
#pragma once

#include "compare/align/pair_evidence.h"
#include "compare/align/pairing.h"
#include "compare/align/traits.h"

namespace npuscope::compare {

/// Pairs what is left and alike (backward passes and other frameworks run independent branches in
/// an order of their own), where place or elements say so, or where there is one near candidate and
/// nothing speaks against it.
void pair_across(const BothTraits& traits, PairEvidence& evidence, Pairing& pairing);

}  // namespace npuscope::compare
