// What no recorded op made and is taken in after a backward pass began: steps that are not recorded
// may have changed it.
#pragma once

#include <string>

#include "compare/dataflow/other_state.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/relation.h"

namespace npuscope::compare {

/// Borrows the flows.
class LateGivens {
  public:
    explicit LateGivens(const PairedFlows& flows);

    /// Of steps that write parameters in 16 bits; "" where none does.
    [[nodiscard]] const std::string& remark() const { return narrow_steps_; }

    /// Whether no noise of what was computed before makes the target's tensor of the golden's: its
    /// elements lie elsewhere, or are rounded; it is another state of an optimizer; or fewer
    /// elements than a row differ, by far, and the others are the golden's to the bit. `input` is
    /// what the op takes in, `given` the same before casts of one side alone. Errors: as
    /// open_traced().
    [[nodiscard]] bool is_other(const InputPair& input,
                                const InputPair& given,
                                const Relation& relation) const;

    /// Whether a step that left the golden's parameter as it was moved the target's, by noise: its
    /// gradient is zero but for rounding.
    [[nodiscard]] bool is_moved_alone(const InputPair& input, const Relation& relation) const;

    /// Whether what one op made stands for a parameter of one number alone, as it was initialised,
    /// which no step of the golden has changed. Of zeros rounding alone makes something else.
    [[nodiscard]] bool is_put_for_initial(const InputPair& input,
                                          const InputPair& given,
                                          const Relation& relation) const;

  private:
    [[nodiscard]] bool is_edited(const InputPair& input,
                                 const InputPair& given,
                                 const Relation& relation) const;

    const PairedFlows& flows_;
    OtherStates states_;
    std::string narrow_steps_;
};

}  // namespace npuscope::compare
