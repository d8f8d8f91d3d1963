// What a dump's own op facts (/op/seqid/npuscope) say about overflow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/event/observer.h"

namespace npuscope::overflow {

struct OpFacts {
    OpSource source;
    std::vector<std::string> kernels;  ///< all that the op launched
    std::optional<bool> overflow;      ///< empty when no status was recorded
    FloatStatus status;
};

/// Everything is optional; text that is no JSON object, or of another shape, says nothing.
[[nodiscard]] OpFacts parse_op_facts(const std::string& json);

}  // namespace npuscope::overflow
