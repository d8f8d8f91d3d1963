// How sentences call the op that made a tensor.
#pragma once

#include <string>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// "/mm/557 (b.1.u)"; without the module where nobody recorded it or `user`, an op of the side that
/// is named beside it, is of the same.
[[nodiscard]] std::string maker_words(const Side& side, size_t maker, size_t user);

}  // namespace npuscope::compare
