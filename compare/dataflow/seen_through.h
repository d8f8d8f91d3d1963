// What copies, casts and views of one side alone were given: what they give out is what another op
// made.
#pragma once

#include <optional>
#include <unordered_set>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Borrows the flows. Complexity: a few steps a tensor; reads no elements.
class SeenThrough {
  public:
    explicit SeenThrough(const PairedFlows& flows);

    /// The output that an input of the side holds, however such ops cast it or show it: that of an
    /// op which is no such one. Empty where nobody made it.
    [[nodiscard]] std::optional<size_t> maker_of(const Side& side, const TracedTensor& input) const;

  private:
    std::unordered_set<const SourceOp*> ops_;
};

/// The input that a copy, cast or view of so many elements was given; nullptr where it is not
/// recorded.
[[nodiscard]] const TracedTensor* given_to(const Side& side, const TracedTensor& output);

}  // namespace npuscope::compare
