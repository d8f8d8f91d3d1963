// Where one side goes on from what the other ends in.
#pragma once

#include <unordered_set>

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Borrows nothing.
class GoesOn {
  public:
    /// Reads the tensors that it compares. Errors: as the sources' when a file cannot be read.
    explicit GoesOn(const PairedFlows& flows);

    /// Whether ops without partner, some of which are the parting's, take in a result whose partner
    /// no op takes in that has one, and make of it another tensor of as many elements, which
    /// nothing takes in either, and the other side nowhere comes to: a last sigmoid, a penalty's
    /// gradient that is added. Single numbers (losses) and recordings without inputs tell nothing.
    [[nodiscard]] bool has(const Parting& parting) const;

  private:
    std::unordered_set<const SourceOp*> ops_;
};

}  // namespace npuscope::compare
