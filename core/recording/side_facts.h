// What a recording tells of an op besides its tensors.
#pragma once

#include <vector>

#include "core/dumpfile/facts.h"
#include "core/recording/plain_arguments.h"

namespace npuscope {

/// What is known of one side's run of an op.
struct SideFacts {
    dumpfile::OpFacts recorded{};
    std::vector<PlainArgument> arguments{};
};

}  // namespace npuscope
