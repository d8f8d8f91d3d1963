// Ops of one side alone that change nothing: checks, what is logged, clamps that cut nothing off.
#pragma once

#include <functional>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether the program goes on without what these ops of one side make: nobody else takes it in, or
/// only as elements that the ops were given (in another order only where the ops are views and
/// copies). They are not the program's last: what they were given
/// is taken in by a paired op after them. Not of ops that write over what they are given.
[[nodiscard]] bool leads_nowhere(const Side& side,
                                 const std::vector<const SourceOp*>& ops,
                                 const std::function<bool(const SourceOp&)>& is_paired);

/// Whether they write over averages of states that other ops of the side write over (copies of
/// these at first, later what no other op takes in, beside what these have become), and nobody else
/// takes in what they make.
[[nodiscard]] bool averages_states(const Side& side, const std::vector<const SourceOp*>& ops);

/// As leads_nowhere(), of the last ops of a forward pass: nobody takes in what they make, and
/// paired ops of a backward pass run behind them, which has no part in them (`softmax` of the
/// logits for a metric, the loss that is logged).
[[nodiscard]] bool ends_before_gradients(const Side& side,
                                         const std::vector<const SourceOp*>& ops,
                                         const std::function<bool(const SourceOp&)>& is_paired);

}  // namespace npuscope::compare
