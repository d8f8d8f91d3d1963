// What ranks hold terms of, and what an op of each then adds up.
#pragma once

#include <utility>
#include <vector>

#include "compare/relate/matches.h"

namespace npuscope::compare {

/// A tensor of a joined program, read as terms, and the result of an op that took it in and made
/// their sum (an all-reduce): the other side has one tensor for both.
struct SummedTerms {
    size_t terms = kNoTensor;
    size_t sum = kNoTensor;
};

/// All of a joined program.
[[nodiscard]] std::vector<SummedTerms> summed_terms(const Listing& side);

/// Relates free terms to a tensor of the other side that is their sum, whatever its partner is.
void relate_terms(Matches& matches);

/// The relations of sums, of their terms as well.
void relate_summed(const std::vector<SummedTerms>& summed,
                   bool of_target,
                   std::vector<TensorRelation>& relations);

}  // namespace npuscope::compare
