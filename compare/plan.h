// Which ops and tensors of two dumps belong together.
#pragma once

#include <string>
#include <vector>

#include "core/dumpfile/reader.h"

namespace npuscope::compare {

/// A tensor of an op on both sides; nullptr on the side that lacks it.
struct TensorPair {
    const dumpfile::Entry* target = nullptr;
    const dumpfile::Entry* golden = nullptr;
};

/// A run of an op on both sides; nullptr on the side that lacks it.
struct OpPair {
    const dumpfile::OpEntry* target = nullptr;
    const dumpfile::OpEntry* golden = nullptr;
    std::string match;  ///< "name", "seqid", or either with ", alias conv2d=convolution"
    std::vector<TensorPair> tensors;  ///< inputs, then outputs; empty for an op of one side
};

struct Plan {
    std::vector<OpPair> ops;  ///< in the target's order, golden-only ones at the end
    bool load_mode = false;
};

/// Ops of one name are matched by their run index (seqids ascending), what is left by canonical
/// name. A target without inputs is taken for a load-mode dump and matched by seqid, unless that
/// fits less than half of its ops and the golden has no inputs either. Inputs are planned only when
/// `inputs` and both sides have some. What is borrowed: both readers.
[[nodiscard]] Plan make_plan(const dumpfile::Reader& target,
                             const dumpfile::Reader& golden,
                             bool inputs);

}  // namespace npuscope::compare
