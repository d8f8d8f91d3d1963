// Tensors that are one number.
#pragma once

#include "compare/dataflow/trace.h"

namespace npuscope::compare {

/// A tensor of one number, which an op just before made, or a tensor full of it: an expanded view.
[[nodiscard]] bool is_number_expanded(const Dataflow& flow, const TracedTensor& tensor);

/// A number that somebody wrote into the program, recorded as a tensor: what is computed has more
/// digits.
[[nodiscard]] bool is_written_number(const TracedTensor& tensor);

}  // namespace npuscope::compare
