// What nobody computed: parameters, buffers and the model's inputs must be equal on both sides.
#pragma once

#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/relation.h"

namespace npuscope::compare {

/// A tensor that no recorded op made and that is not the golden's.
struct GivenFinding {
    InputPair input;       ///< its first use
    std::string argument;  ///< the target's
    std::string target;    ///< "/mm/33/input/mat2"
    std::string golden;
    Relation relation;
    /// Another tensor that the golden was given, and no other parameter of the op is its own.
    bool is_of_another = false;
    /// "weight `mat2` of /mm/33 (blocks.1.o, net.py:20) is not the golden's: it is its transpose"
    std::string text;
};

struct Givens {
    std::vector<GivenFinding> findings;  ///< in the target's order, one for each distinct tensor
    std::vector<std::string> remarks;    ///< such as NaN in what the model was given
    double most_drifted = 0;  ///< of the norm: parameters that are off by less were left so
};

/// Equal up to rounding to the narrower dtype of both sides is equal. Nothing is said of what an
/// unrecorded step may have changed: buffers after their first use, what first appears after a
/// backward pass began (unless the golden's elements are there, elsewhere or rounded), gradients,
/// memory that is written over before it is read, and what an op made after all, in part. Whole
/// numbers and bools must be equal, unless a step may have chosen or drawn them. Complexity:
/// hashes, then a pass over the outputs and a few over each suspect. Memory: two tensors in
/// float64.
[[nodiscard]] Givens differing_givens(PairedFlows& flows, int threads = 0);

}  // namespace npuscope::compare
