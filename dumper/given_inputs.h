// What a program was given against what the golden run was given. Included by dumper/*.cpp only.
#pragma once

#include <optional>

#include "core/ir/value.h"
#include "core/tensor/tensor.h"
#include "dumper/golden.h"

namespace npuscope::dumper {

/// Nothing when the two agree: integers and bools exactly, floats within four epsilons of the
/// coarser dtype times max|golden|. Both have one shape. The path and the node are the caller's.
[[nodiscard]] std::optional<GivenDifference> given_difference(const Tensor& given,
                                                              const Tensor& golden);

/// Nothing when two numbers of one kind agree; one that the program read from a tensor may be off
/// by its op's rounding.
[[nodiscard]] std::optional<GivenDifference> number_difference(const Scalar& given,
                                                               const Scalar& golden);

}  // namespace npuscope::dumper
