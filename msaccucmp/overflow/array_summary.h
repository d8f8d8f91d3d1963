// Largest, smallest and mean element of an array, as NumPy computes and prints them.
#pragma once

#include <string>

#include "msaccucmp/kernel_dumps/dump_array.h"

namespace npuscope::msaccucmp {

/// "[Shape: (2, 3)] [Dtype: float16] [Max: 1.002] [Min: -2.084] [Mean: -0.9824]"; without elements
/// only shape and dtype. NaN is the largest and the smallest where there is one. Sums are NumPy
/// 1.24's: pieces of 8192 elements, added pairwise within (in float32 for float16, in double for
/// integers and bool), one after the other between them. Memory: one piece.
/// Errors: CommandError when the elements cannot be read.
[[nodiscard]] std::string summary_of(const DumpArray& array);

}  // namespace npuscope::msaccucmp
