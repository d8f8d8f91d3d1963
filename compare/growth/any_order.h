// How far apart two tensors are whose elements may lie in any order.
#pragma once

#include <optional>

#include "core/recording/source.h"

namespace npuscope::compare {

/// |t-g| / |g| in the Euclidean norm, of the elements in the order of their size: no arrangement
/// brings them nearer. Empty where they are not as many, or have none; infinity where only one side
/// is zero, or finite. Errors: those of reading them. Memory: both, in float64.
[[nodiscard]] std::optional<double> distance_in_any_order(const SourceTensor& target,
                                                          const SourceTensor& golden);

}  // namespace npuscope::compare
