// Inputs that are not what they should be: in the golden an op takes what an earlier op made, in
// the target something else.
#pragma once

#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

struct WiringFinding {
    InputPair input;
    std::string argument;  ///< the target's
    std::string target;    ///< "/mm/33/input/self"
    std::string producer;  ///< the target's op whose output it should be: "/relu/31"
    /// "input `self` of /mm/33 (a, net.py:20) is not what /relu/31 made (in the golden it is); it
    /// is what /relu/28 made"
    std::string text;
};

/// In the target's order. An input counts only where its producer's output is nearly the golden's
/// and the input is far from the golden's, and from what the golden's view makes of that output;
/// plain elements, casts and what several ops made say nothing. Complexity: hashes and a few
/// thousand elements of each input that is not what its producer made; whole tensors of the few
/// that stay. Memory: three tensors in float64.
[[nodiscard]] std::vector<WiringFinding> wrong_wires(PairedFlows& flows, int threads = 0);

}  // namespace npuscope::compare
