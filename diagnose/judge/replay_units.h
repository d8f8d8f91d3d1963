// How coarse the target's arithmetic is where the golden's ops run on its numbers.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "diagnose/judge/golden_replay.h"
#include "diagnose/judge/replay_partners.h"

namespace npuscope::diagnose {

/// Whether the op is a matrix product or a convolution.
[[nodiscard]] bool multiplies(const SourceOp& op);

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
    /// Of an op of the golden without partner.
    [[nodiscard]] double of_unpaired(size_t op) const;
    /// What the target's ops without partner make of what these ops made.
    [[nodiscard]] std::set<size_t> unpaired_behind(std::vector<size_t> ops) const;

    const compare::PairedFlows& flows_;
    const ReplayKnown& known_;
    const ReplayPartners& partners_;
    const std::unordered_set<std::string>& agreeing_;
    mutable std::unordered_multimap<size_t, size_t> users_{};  ///< of the target: by op, ops
};

}  // namespace npuscope::diagnose
