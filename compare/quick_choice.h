// Which ops a quick judgement computes again.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Pairs whose results differ (`differing`, indices into Plan::ops), those that made what they took
/// in, on either side, and those whose results no op takes in. Ascending; ops that both sides have.
[[nodiscard]] std::vector<size_t> quick_choice(const PairedFlows& flows,
                                               const std::vector<size_t>& differing);

/// Whether a result of the op is not the golden's, within tolerance or beyond it.
[[nodiscard]] bool differs_anywhere(const OpResult& op);

}  // namespace npuscope::compare
