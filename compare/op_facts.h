// What two dumps tell of an op besides its tensors, put into its result.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "compare/plain_arguments.h"
#include "core/dumpfile/facts.h"

namespace npuscope::compare {

/// What is known of one side's run of an op.
struct SideFacts {
    dumpfile::OpFacts recorded{};
    std::vector<PlainArgument> arguments{};
};

/// Node, module and line of the target, else of the golden; arguments that differ; whether the
/// target overflowed and the golden did not.
void take_facts(const SideFacts& target, const SideFacts& golden, OpResult& op);

}  // namespace npuscope::compare
