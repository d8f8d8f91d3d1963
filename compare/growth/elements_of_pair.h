// Both sides' elements of a measured tensor.
#pragma once

#include <optional>

#include "compare/compare.h"
#include "compare/match.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// In float64, as they are held against each other.
struct ElementsOfPair {
    Tensor target;
    Tensor golden;
};

/// Of a result of the pair; empty where it is none, or has other sizes or no elements. Errors:
/// those of its tensors.
[[nodiscard]] std::optional<ElementsOfPair> elements_of(const OpPair& pair,
                                                        const TensorResult& result);

/// The same; gradients of a loss that one side scales without that.
[[nodiscard]] std::optional<ElementsOfPair> unscaled_elements_of(const OpPair& pair,
                                                                 const TensorResult& result);

}  // namespace npuscope::compare
