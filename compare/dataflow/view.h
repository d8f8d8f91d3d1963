// Finds how the elements of an input lie in the tensor that it is a view of.
#pragma once

#include <optional>

#include "compare/relate/view.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// A table of more columns is no list of places.
inline constexpr int64_t kMostColumns = 8;

/// The column or row of a table of at most kMostColumns that `input` is, by every element; empty
/// where it is none. Such as the places that `nonzero` gives: few values, each many times, none of
/// which tells where it lies.
[[nodiscard]] std::optional<View> column_view(const Tensor& input, const Tensor& source);

/// The view of `source` that `input` is; a sure one, held by every element, or none. Where elements
/// come several times it is one of those that fit. Complexity: two passes over `source`, one over
/// `input`. Memory: both as float64.
[[nodiscard]] std::optional<View> find_view(const Tensor& input, const Tensor& source);

}  // namespace npuscope::compare
