// How coarse the target's arithmetic is where the golden's ops run on its numbers.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

#include "compare/dataflow/paired_flows.h"
#include "diagnose/judge/golden_replay.h"
#include "diagnose/judge/replay_partners.h"

namespace npuscope::diagnose {

/// Borrows all. `agreeing`: the target's tensors that some result of the golden agrees with.
class ReplayUnits {
  public:
    ReplayUnits(const compare::PairedFlows& flows,
                const ReplayKnown& known,
                const ReplayPartners& partners,
                const std::unordered_set<std::string>& agreeing)
        : flows_(flows), known_(known), partners_(partners), agreeing_(agreeing) {}

    /// Of an op of the golden, by its index: the largest of what stands for it in the target,
    /// relative to one number. Errors: as the sources' when a file cannot be read.
    [[nodiscard]] double of_op(size_t op) const;

  private:
    [[nodiscard]] double of_target(size_t op) const;

    const compare::PairedFlows& flows_;
    const ReplayKnown& known_;
    const ReplayPartners& partners_;
    const std::unordered_set<std::string>& agreeing_;
};

}  // namespace npuscope::diagnose
