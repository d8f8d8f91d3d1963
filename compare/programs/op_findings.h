// What the findings of an op are about: its arithmetic, the numbers it was called with, or
// programs.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// Its own arithmetic. With which numbers it was called is seen in what the program makes.
[[nodiscard]] bool is_at_fault_itself(const OpResult& op);

/// With the golden's numbers its results, or what it leaves behind, would be others.
[[nodiscard]] bool is_called_otherwise(const OpResult& op);

/// That programs differ, and no more.
[[nodiscard]] bool is_of_programs(const OpResult& op);

/// |t - g| / |g| of a culprit's tensor, Euclidean; of one that came to the op through copies and
/// views, which have no pair, that of what the op takes in.
[[nodiscard]] double distance_of(const Result& result, const Culprit& culprit);

}  // namespace npuscope::compare
