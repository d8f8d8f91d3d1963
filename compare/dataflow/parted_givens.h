// What nobody computed, taken in by ops that one side alone has.
#pragma once

#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Inputs of ops in a parting of a plan, or of casts and views of one side alone, that no op made:
/// the one of a shape that the target's ops take in, and the one that the golden's do, such as a
/// batch that one side splits and the other slices. Where either takes in several of a shape, none.
/// A cast stands in the place of the op behind it.
[[nodiscard]] std::vector<InputPair> parted_givens(const PairedFlows& flows);

}  // namespace npuscope::compare
