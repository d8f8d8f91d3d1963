// What stands on the other side for a tensor of either.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// The golden's tensor that pairs with one of the target's, or the target's that pairs with one of
/// the golden's; empty without one. Passes over the golden's tensors for one of the target's.
[[nodiscard]] inline std::optional<size_t> counterpart_of(const PairedFlows& flows,
                                                          bool of_target,
                                                          size_t tensor) {
    if (!of_target) return flows.partner_of(tensor);
    for (size_t i = 0; i < flows.golden().flow.tensors.size(); ++i)
        if (flows.partner_of(i) == tensor) return i;
    return std::nullopt;
}

}  // namespace npuscope::compare
