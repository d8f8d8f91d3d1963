// Tensors in the chip's private formats (NC1HWC0, FRACTAL_Z, FRACTAL_NZ) beside plain ones.
#pragma once

#include <string>
#include <vector>

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// How a plain tensor lies in one that is stored otherwise.
struct PrivateForm {
    View view;           ///< of the stored tensor; has the plain one's shape
    std::string text{};  ///< "NC1HWC0 of NCHW, padded 3 to 16"
};

/// The formats in which a tensor of shape `plain` is stored as one of shape `stored`: what pads
/// blocks is left out. Plain tensors are NCHW or NHWC, NCDHW, or matrices. Source: core/layout.
[[nodiscard]] std::vector<PrivateForm> private_forms(const Shape& stored, const Shape& plain);

/// Pairs free tensors of which either is the other in a private format, whose elements confirm it.
/// Complexity: n log n, and a look at tensors of equal norm.
void pair_private(Matches& matches, const SourcePair& sources);

}  // namespace npuscope::compare
