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

    /// The tensor that the first of the casts before an input was given; the input itself where no
    /// such op made it.
    [[nodiscard]] size_t before_casts(const Side& side, size_t input) const;

    /// The input as it was without those casts: in the same shape and order, not rounded by them.
    /// As it is where the elements do not tell which view shows them. Errors: Error. Memory: three
    /// tensors in float64.
    [[nodiscard]] Tensor uncast(const Side& side, size_t input) const;

  private:
    [[nodiscard]] const TracedTensor* given_to_maker(const Side& side,
                                                     const TracedTensor& input) const;

    std::unordered_set<const SourceOp*> ops_;
};

/// The tensor; in bfloat16 where its recorder is known to store that as float32, and it is such.
[[nodiscard]] Tensor as_it_was(const Side& side, size_t tensor);

/// The input that a copy, cast or view of so many elements was given; nullptr where it is not
/// recorded.
[[nodiscard]] const TracedTensor* given_to(const Side& side, const TracedTensor& output);

/// Whether views and copies that keep all elements are all that stands between an input and what
/// nobody made.
[[nodiscard]] bool shows_given(const Side& side, const TracedTensor& input);

}  // namespace npuscope::compare
