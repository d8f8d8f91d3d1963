// In which order results were made that stand in another one in their file.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/compare.h"

namespace npuscope::compare {

/// The places in Result::ops in the order in which their results were made, without parameters that
/// were given. Parameters that the optimizer made are last. Gradients of parameters alone, which
/// are listed as a network is built, were made from the end on that is less far off. Empty where
/// the order of names is that of letters, not of time.
[[nodiscard]] std::vector<size_t> result_order(const Result& result);

/// Whether both sides hold gradients of parameters and no other result but single numbers.
[[nodiscard]] bool holds_parameter_gradients_alone(const Result& result);

}  // namespace npuscope::compare
