// Whether a tensor of whole numbers and one of floats hold the same numbers.
#pragma once

#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// Element by element, of two tensors of equal numel and any real dtypes. False from 2^53 on, where
/// a double no longer tells whole numbers apart, and for complex dtypes. Errors: those of the
/// sources.
[[nodiscard]] bool hold_equal_numbers(const ElementSource& one, const ElementSource& other);

/// Whether all elements are whole numbers that float64 holds; false of bools. Errors and memory: as
/// hold_equal_numbers().
[[nodiscard]] bool hold_whole_numbers(const ElementSource& source);

}  // namespace npuscope::compare
