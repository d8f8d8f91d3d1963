// Ops that a target of results alone has more, and what takes in what they make.
#pragma once

#include <algorithm>

#include "compare/align/parting.h"
#include "compare/split.h"

namespace npuscope::compare {

/// Whether `taker`, or any op where that is nullptr, takes in what an op of the parting makes. Of
/// targets without inputs, after Splitter::prepare().
[[nodiscard]] inline bool is_taken_in(const Splitter& splitter,
                                      const Parting& parting,
                                      const SourceOp* taker = nullptr) {
    return std::ranges::any_of(parting.only_target, [&](const SourceOp* op) {
        const SourceOp* found = splitter.taker_of(*op);
        return found != nullptr && (taker == nullptr || found == taker);
    });
}

}  // namespace npuscope::compare
