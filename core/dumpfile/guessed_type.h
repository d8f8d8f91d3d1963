// What a dataset is whose writer did not say.
#pragma once

#include <optional>
#include <string_view>

#include "core/dumpfile/layout.h"
#include "core/ir/value.h"
#include "core/tensor/tensor.h"

namespace npuscope::dumpfile {

/// Of a dataset without the attribute `Type`: a result, what has two dimensions and more, and
/// narrow floats are tensors; a float64 alone is a number, an integer alone an int or a bool; one
/// dimension of integers is a list where the argument (its last name, "stride") is one of those
/// that are lists in PyTorch's schemas, else a tensor. Empty for datasets of no number.
[[nodiscard]] std::optional<SaveType> guessed_type(Direction direction,
                                                   std::string_view argument,
                                                   std::optional<DType> dtype,
                                                   const Shape& shape);

}  // namespace npuscope::dumpfile
