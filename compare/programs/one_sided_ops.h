// Ops of one side that the program goes on without.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "compare/dataflow/paired_flows.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Borrows the plan, its flows and the places of its ops.
class OneSidedOps {
  public:
    OneSidedOps(const Plan& plan,
                const PairedFlows& flows,
                const std::unordered_map<const SourceOp*, size_t>& places)
        : plan_(plan), flows_(flows), places_(places) {}

    /// Whether one side alone has ops here, and they make constants that the other side holds, what
    /// nobody takes in, averages of the weights, or, where results alone tell, what an op of the
    /// other side makes beside its other results.
    [[nodiscard]] bool change_nothing(const Parting& parting) const;
    /// Whether they are last in the forward pass of a step, and nothing that the side has more
    /// behind them may be their gradient: none has as many elements as what they were given.
    [[nodiscard]] bool ends_before_gradients(const Parting& parting) const;

    /// Of results alone: whether one side alone has ops here, and an op of the other side makes the
    /// same beside its other results, as a convolution's gradient may make that of its bias.
    [[nodiscard]] bool are_made_beside_others(const Parting& parting) const;

  private:
    /// Of ops of one side.
    [[nodiscard]] bool is_of_averages(const Parting& parting) const;
    [[nodiscard]] bool is_paired(const SourceOp& op) const;
    [[nodiscard]] bool may_have_gradients(const Parting& parting) const;

    const Plan& plan_;
    const PairedFlows& flows_;
    const std::unordered_map<const SourceOp*, size_t>& places_;
};

}  // namespace npuscope::compare
