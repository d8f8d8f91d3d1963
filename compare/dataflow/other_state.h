// What an optimizer keeps from step to step, and which is not the golden's.
#pragma once

#include <cstddef>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/relation.h"

namespace npuscope::compare {

/// Of the tensors that no op made and that ops calculate in place with. Borrows the flows.
class OtherStates {
  public:
    explicit OtherStates(const PairedFlows& flows);

    /// Whether the target's, an index into its flow, is such a one and no noise makes it of the
    /// golden's: all of it has become zero, or a multiple, or some elements differ, and the rest is
    /// the golden's to the bit; or nothing of it is the golden's, and almost all other states are.
    /// A large power of two may be the scale of a loss.
    [[nodiscard]] bool has(size_t target, size_t golden, const Relation& relation) const;

  private:
    [[nodiscard]] bool is_state(size_t target, size_t golden) const;

    const PairedFlows& flows_;
    bool are_others_equal_ = false;
};

}  // namespace npuscope::compare
