// Which ops and tensors of two sources belong together.
#pragma once

#include <string>
#include <vector>

#include "compare/sources/source.h"

namespace npuscope::compare {

/// A run of an op on both sides; nullptr on the side that lacks it.
struct OpPair {
    const SourceOp* target = nullptr;
    const SourceOp* golden = nullptr;
    std::string
        match{};  ///< "name", "seqid", either with ", alias conv2d=convolution"; "single op"
};

struct Plan {
    std::vector<OpPair> ops;  ///< in the target's order, golden-only ones at the end
    bool load_mode = false;
    bool inputs = true;  ///< both sides may have some
};

/// Ops of one name are matched in their order, what is left by canonical name. Two dumps match by
/// IR name; other sources by what they call their ops, anything but letters and digits being one
/// separator, and a lone op on both sides whatever the names. A dump without inputs is taken for
/// one of load mode and matched by seqid, unless that fits less than half of its ops and the golden
/// has no inputs either. Borrows both.
[[nodiscard]] Plan make_plan(const Source& target, const Source& golden);

/// A tensor of an op on both sides; nullptr on the side that lacks it.
struct TensorPair {
    const SourceTensor* target = nullptr;
    const SourceTensor* golden = nullptr;

    /// The target's, the golden's without one.
    [[nodiscard]] const SourceTensor& known() const {
        return target != nullptr ? *target : *golden;
    }
};

/// Inputs, then outputs: by equal argument, then by canonical argument of the op; unless both sides
/// are dumps, then by argument as their ops by name, and the rest in their order, where both sides
/// recorded some of that direction. Borrows all.
[[nodiscard]] std::vector<TensorPair> pair_tensors(const OpPair& ops,
                                                   const std::vector<SourceTensor>& target,
                                                   const std::vector<SourceTensor>& golden,
                                                   bool both_dumps);

}  // namespace npuscope::compare
