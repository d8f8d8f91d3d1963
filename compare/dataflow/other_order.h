// Ops that take in the golden's tensors in another order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

struct OtherOrder {
    size_t pair = 0;     ///< index into Plan::ops
    std::string target;  ///< the first input's path: "/cat/189/input/tensors/tensors_0"
    std::string text;    ///< "input `tensors_0` of /cat/189 is the golden's `tensors_1`: …"
};

/// In the plan's order: of a pair of ops of one name whose results are far from the golden's the
/// inputs of other shapes than the golden's of their names, where all of them are nearly those that
/// have another name: a cache behind what was to be added to it. Errors: none; what cannot be read
/// is no finding. Memory: two inputs in float64.
[[nodiscard]] std::vector<OtherOrder> inputs_in_other_order(const PairedFlows& flows,
                                                            const Result& result);

}  // namespace npuscope::compare
