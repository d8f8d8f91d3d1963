// Programs of other forms are given other things: which of these are no fault.
#pragma once

#include "compare/compare.h"
#include "compare/dataflow/givens.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/origins/inflow.h"

namespace npuscope::compare {

/// What an op in place writes over may be anything where its results agree; a copy may be taken of
/// a view in place of the view of a copy, where what is made of it agrees. Of plans by relations:
/// ops of other kinds may be given other things (a bias that a batch norm is
/// folded into) where their results agree. The parts of a weight may lie in another order (the
/// gates of an LSTM) where those of the result do so too, and the program's outputs agree. Borrows
/// all.
class GivenOtherwise {
  public:
    GivenOtherwise(const PairedFlows& flows, const Result& result)
        : flows_(flows), result_(result) {}

    [[nodiscard]] bool explains(const GivenFinding& finding) const;
    /// Whether both ops take in the same tensors, the operands of a sum or a product the other way
    /// round, and make the same of them.
    [[nodiscard]] bool are_exchanged(const InputPair& inputs) const;

  private:
    [[nodiscard]] bool outputs_agree() const;
    [[nodiscard]] bool is_lost(const GivenFinding& finding) const;

    const PairedFlows& flows_;
    const Result& result_;
};

/// Whether each result of the pair holds the golden's elements in any order, up to small errors.
/// Memory: two results in float64.
[[nodiscard]] bool results_hold_the_same(const OpPair& pair);

}  // namespace npuscope::compare
