// Which of several culprits matters most: what each does to the last outputs and gradients.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Sets Culprit::effect and effect_on, and puts the culprits behind the first one in the order of
/// their effects, the largest first; those of no known effect keep their order at the end.
/// An op's error is shared out between what it introduced itself and what came in, this between its
/// inputs by how far each is off, and so on back to the culprits: an estimate, exact where their
/// errors do not meet. Of free runs only. Complexity: pairs times culprits; one more pass over
/// the outputs where an input is a part of one. `threads` 0: all cores.
void rank_culprits(PairedFlows& flows, int threads, Result& result);

}  // namespace npuscope::compare
