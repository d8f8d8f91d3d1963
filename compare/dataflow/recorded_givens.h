// What load mode recorded of a program's own inputs, which it replaced by the golden's.
#pragma once

#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// A tensor that no op of the program computed, or a number, that is not the golden's.
struct RecordedGiven {
    size_t pair = 0;         ///< of its first use, index into Plan::ops
    std::string argument;    ///< "mat2"
    std::string path;        ///< "/mm/33/input/mat2"
    bool is_number = false;  ///< a Scalar
    /// "weight `mat2` of /mm/33 (blocks.1.o, net.py:20) is not the golden's: it is its transpose"
    std::string text;
};

/// In the target's order, one for each distinct tensor of the golden. Adds to `remarks` what an op
/// does not read, such as the running statistics of a batch norm in training.
[[nodiscard]] std::vector<RecordedGiven> recorded_givens(const PairedFlows& flows,
                                                         std::vector<std::string>& remarks);

}  // namespace npuscope::compare
