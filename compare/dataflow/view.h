// How the elements of an input lie in the tensor that it is a view of, found from the elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// Reshape, permute, slice, select, split, expand (stride 0), flip (negative stride), and a cast.
struct View {
    /// One loop over the source's elements in C order.
    struct Loop {
        int64_t extent = 1;
        int64_t stride = 0;
        friend bool operator==(const Loop&, const Loop&) = default;
    };

    Shape shape;  ///< of the view
    int64_t source_numel = 0;
    int64_t offset = 0;           ///< of the first element
    std::vector<Loop> loops;      ///< outermost first; a dimension of `shape` may be two of them
    std::optional<DType> cast{};  ///< the source's elements are rounded to it
};

/// The view of `source` that `input` is; a sure one, held by every element, or none. Where elements
/// come several times it is one of those that fit. Complexity: two passes over `source`, one over
/// `input`. Memory: both as float64.
[[nodiscard]] std::optional<View> find_view(const Tensor& input, const Tensor& source);

/// The view of another tensor of source_numel elements; it keeps that tensor's dtype, or has the
/// cast's. Errors: Error(kInternal) on another numel.
[[nodiscard]] Tensor apply(const View& view, const Tensor& source);

}  // namespace npuscope::compare
