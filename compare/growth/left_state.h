// Updates that one side alone makes: what they leave behind is compared nowhere.
#pragma once

#include <unordered_set>

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Borrows nothing.
class LeftState {
  public:
    explicit LeftState(const PairedFlows& flows);

    /// Whether one side alone has ops without partner, and some of these are the parting's and
    /// write over what no op had made (a parameter, a running mean), for no op that comes after
    /// them: no error grows across such ops, and yet the programs leave something else behind.
    /// One element, whole numbers (the number of a step) and constants (what is cleared) are none.
    [[nodiscard]] bool has(const Parting& parting) const;

  private:
    std::unordered_set<const SourceOp*> ops_;
};

}  // namespace npuscope::compare
