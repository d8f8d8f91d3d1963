// A dump's tensor as an array.
#pragma once

#include "core/cann_dump/reader.h"
#include "core/tensor/tensor.h"

namespace npuscope::cann_dump {

/// The elements in the order and shape in which they are stored. bfloat16 stays so; bits are uint8,
/// 8-bit floats float64. Errors: Error(kUnsupported) for elements of another kind (complex ones
/// too), or for a shape that needs more bytes than there are; those of the reader.
[[nodiscard]] Tensor read_tensor(const DumpReader& reader, const DumpTensor& tensor);

}  // namespace npuscope::cann_dump
