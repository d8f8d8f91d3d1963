// My tensor and the golden one brought to one format and one size.
#pragma once

#include "msaccucmp/folders/golden_tensor.h"

namespace npuscope::msaccucmp {

struct AlignedPair {
    RealArray my;      ///< of the shape that is reported
    RealArray golden;  ///< of the same numel
};

struct AlignmentOptions {
    /// No format is changed, shapes must be equal.
    bool are_both_original = false;
    /// Both sides become NCHW or NCDHW, for a list of single elements.
    bool for_details = false;
};

/// Errors: CompareFailure.
[[nodiscard]] AlignedPair align(const DumpedTensor& my,
                                GoldenTensor golden,
                                const AlignmentOptions& options);

/// Whether the format has five dims with a depth.
[[nodiscard]] bool has_depth(int64_t format);

}  // namespace npuscope::msaccucmp
