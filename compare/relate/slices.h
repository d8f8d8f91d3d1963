// The slices of a shape that another shape can be.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/relate/view.h"

namespace npuscope::compare {

/// Views of a tensor that differ in where along one of its axes they begin.
struct SliceForm {
    View first;             ///< the one that begins at 0
    int64_t step = 0;       ///< elements of the source that the next one begins later
    int64_t positions = 1;  ///< how many there are
    int64_t extent = 1;     ///< of the slice, in places of that axis

    [[nodiscard]] View at(int64_t position) const;
};

/// How a tensor of shape `part` can lie in one of shape `whole`, which has more elements: along an
/// axis of its own, along one that it lacks, or one inside its axes; with axes permuted.
[[nodiscard]] std::vector<SliceForm> slice_forms(const Shape& whole, const Shape& part);

/// slice_forms(), which costs, of each pair of shapes once.
class SliceForms {
  public:
    [[nodiscard]] const std::vector<SliceForm>& of(const Shape& whole, const Shape& part);

  private:
    std::map<std::pair<Shape, Shape>, std::vector<SliceForm>> known_;
};

/// "0:64 along axis 1"
[[nodiscard]] std::string text_of_range(int64_t first, int64_t extent, int64_t axis);

/// "0:64 along axis 1 of [8,192]", "a part of [8,192] as [8,3,64]".
[[nodiscard]] std::string text_of(const SliceForm& form, int64_t position, const Shape& whole);

}  // namespace npuscope::compare
