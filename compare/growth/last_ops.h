// The ops that two programs end in, where these have no partner.
#pragma once

#include <unordered_set>

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Borrows the flows.
class LastOps {
  public:
    explicit LastOps(const PairedFlows& flows);

    /// Whether both forward passes end in ops that have no partner, and some are the parting's:
    /// what the programs are for was not compared.
    [[nodiscard]] bool has(const Parting& parting) const;

  private:
    std::unordered_set<const SourceOp*> target_;
    std::unordered_set<const SourceOp*> golden_;
};

}  // namespace npuscope::compare
