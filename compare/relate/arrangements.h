// The ways in which the axes of one shape can make another shape.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "compare/relate/sketch.h"
#include "compare/relate/view.h"

namespace npuscope::compare {

/// [2,1,3] and [2,3] hold the same elements in the same places.
[[nodiscard]] Shape without_ones(const Shape& shape);

/// Views of a tensor of shape `source` that have shape `result` and hold each element once: axes
/// permuted, split in two and joined; those with fewer splits first, at most `most`. None where the
/// numels differ.
[[nodiscard]] std::vector<View> arrangements(const Shape& source, const Shape& result, size_t most);

/// Whether the elements stay in their order.
[[nodiscard]] bool is_in_order(const View& view);

/// "its transpose", "permuted (0,2,1,3)", "[2,4,8] rearranged to [4,2,8]".
[[nodiscard]] std::string text_of(const View& view, const Shape& source);

/// The share of the largest elements of `result` that lie in `source` where the view says, among
/// those that both could know. From 0 to 1.
[[nodiscard]] double share_of_tops(const View& view, const Sketch& source, const Sketch& result);

/// |view(source) - result| / |result| without the twentieth of the elements that are farthest off:
/// of some thousand elements. Where these lie about a number and agree in it alone, over what they
/// are beside it. What is clearly farther than `telling` is known by few elements. Errors: as
/// ElementSource::range().
[[nodiscard]] double distance_through(const View& view,
                                      const ElementSource& source,
                                      const ElementSource& result,
                                      double telling = std::numeric_limits<double>::infinity());

}  // namespace npuscope::compare
