// Tensors that are one number.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/dataflow/trace.h"

namespace npuscope::compare {

/// A tensor of one number, which an op just before made, or a tensor full of it: an expanded view.
/// Of a number that is not plain the op may stand anywhere before.
[[nodiscard]] bool is_number_expanded(const Dataflow& flow, const TracedTensor& tensor);

/// Results that are full of the same number as the tensor, the last first: the one that was
/// expanded, and those that it is a copy of. Indices into Dataflow::tensors. Empty of plain
/// numbers, which many ops make.
[[nodiscard]] std::vector<size_t> numbers_expanded(const Dataflow& flow,
                                                   const TracedTensor& tensor);

/// A number that somebody wrote into the program, recorded as a tensor: what is computed has more
/// digits.
[[nodiscard]] bool is_written_number(const TracedTensor& tensor);

}  // namespace npuscope::compare
