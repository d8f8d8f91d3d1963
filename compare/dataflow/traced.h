// Who made and who took in each tensor of two recordings.
#pragma once

#include <optional>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/trace.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Both sides' dataflow.
class Traced {
  public:
    /// Without `reading` nothing is known of any tensor.
    Traced(const Plan& plan,
           const Source& target_source,
           const Source& golden_source,
           int threads,
           bool reading);

    /// Nothing is traced.
    Traced(const Plan& plan, const Source& target_source, const Source& golden_source)
        : Traced(plan, target_source, golden_source, 1, false) {}

    /// From now on ops are paired by this plan; nothing is read again.
    void pair(const Plan& plan);
    /// Of either side, with elements.
    [[nodiscard]] bool has_inputs() const;

    Dataflow target;
    Dataflow golden;
    std::optional<PairedFlows> flows;

  private:
    const Source& target_source_;
    const Source& golden_source_;
};

}  // namespace npuscope::compare
