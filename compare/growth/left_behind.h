// What the programs leave behind where they part, and nothing compares.
#pragma once

#include "compare/growth/goes_on.h"
#include "compare/growth/last_ops.h"
#include "compare/growth/left_state.h"

namespace npuscope::compare {

/// Borrows the flows.
class LeftBehind {
  public:
    /// Errors: as GoesOn's.
    explicit LeftBehind(const PairedFlows& flows) : last_(flows), left_(flows), goes_on_(flows) {}

    /// However near to each other all results are that pair: the parting stays a finding.
    [[nodiscard]] bool has(const Parting& parting) const {
        return last_.has(parting) || left_.has(parting) || goes_on_.has(parting);
    }

  private:
    LastOps last_;
    LeftState left_;
    GoesOn goes_on_;
};

}  // namespace npuscope::compare
