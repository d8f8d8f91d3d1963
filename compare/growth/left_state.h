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

    /// Whether ops without partner, some of which are the parting's, write over what no op had made
    /// (a parameter, a running mean), for no op that comes after them: no error grows across such
    /// ops, and yet the programs leave something else behind. Where the other side has ops without
    /// partner as well, only what none of these takes in counts (a frozen weight), if it updates
    /// others. One element, whole numbers (the number of a step), constants (what is cleared)
    /// and copies of what a pair updates (an average of the weights) are none.
    [[nodiscard]] bool has(const Parting& parting) const;

  private:
    std::unordered_set<const SourceOp*> ops_;
};

}  // namespace npuscope::compare
