// What one side was given and the other side has in no form.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/relate/relate.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Indices of listed tensors, ascending.
struct OneSidedGivens {
    std::vector<size_t> target{};
    std::vector<size_t> golden{};
};

/// Float tensors that no op computed (parameters, buffers, inputs of the model), that no relation
/// speaks of, and that the other side does not hold: not in another order, not shifted or scaled,
/// not as a sum of two, not repeated in rows, not inside a longer vector and not put together of
/// shorter ones. Constants and masks are nothing. Complexity: a few passes over vectors that were
/// given, for each that is left. What cannot be read is held to be there.
[[nodiscard]] OneSidedGivens given_nowhere(const Relations& relations, const SourcePair& sources);

}  // namespace npuscope::compare
