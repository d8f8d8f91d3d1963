// Tensors that are one number.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/dataflow/trace.h"

namespace npuscope::compare {

/// A tensor of one number, which an op just before made, or a tensor full of it: an expanded view.
/// Of a number that is not plain the op may stand anywhere before.
[[nodiscard]] bool is_number_expanded(const Dataflow& flow, const TracedTensor& tensor);

/// The number that an op made and the tensor is full of, the last of its kind: index into
/// Dataflow::tensors. Empty of plain numbers, which many ops make.
[[nodiscard]] std::optional<size_t> number_expanded(const Dataflow& flow,
                                                    const TracedTensor& tensor);

/// A number that somebody wrote into the program, recorded as a tensor: what is computed has more
/// digits.
[[nodiscard]] bool is_written_number(const TracedTensor& tensor);

}  // namespace npuscope::compare
