// Whether what the target was given is something else that the golden was given.
#pragma once

#include <string>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/seen_through.h"

namespace npuscope::compare {

/// "it is the golden's /addmm/7/input/mat2" where the target's is another given of the golden.
[[nodiscard]] std::string other_given(const PairedFlows& flows, const InputPair& pair);

/// Whether another parameter of the op is the golden's own: it is no call in another order.
[[nodiscard]] bool stands_among_own(const PairedFlows& flows,
                                    const SeenThrough& through,
                                    const InputPair& pair);

}  // namespace npuscope::compare
