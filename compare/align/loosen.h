// Runs of one op that the order forced together, though their shapes differ.
#pragma once

#include "compare/align/pair_evidence.h"
#include "compare/align/pairing.h"
#include "compare/align/traits.h"

namespace npuscope::compare {

/// Whether an op without partner takes one next to its place whose elements are others.
enum class NextTo { kAlike, kWhatever };

/// Independent ops that changed places leave pairs of one name whose shapes differ, and ops without
/// partner, near one another: each takes a near one of its own shapes, the likest by elements. Ops
/// that this leaves are paired as they were, else without partner. None leaves its place for
/// another that is told. Complexity: linear but for sorting.
void loosen_misfits(const BothTraits& traits,
                    PairEvidence& evidence,
                    NextTo next_to,
                    Pairing& pairing);

}  // namespace npuscope::compare
