// How the elements of one tensor were moved to make another.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// Elements in C order and their shape. Borrowed.
struct Elements {
    std::span<const double> values;
    Shape shape;
};

/// "it is its transpose", "it is flipped along axis 1", "it is shifted by 3 along axis 0,
/// cyclically", "its slices 2 and 5 along axis 0 are swapped", "its elements are in another order";
/// empty unless `moved` holds exactly the elements of `original`. Elements are equal as numbers,
/// NaN to NaN. Complexity: a few passes; each guess ends at its first wrong element.
[[nodiscard]] std::optional<std::string> rearrangement(const Elements& moved,
                                                       const Elements& original);

/// "it is shifted by 1 along axis 0": all but the edge of `moved` is `original`, `moved` being of
/// its shape. Empty where it is not.
[[nodiscard]] std::optional<std::string> shift_of(const Elements& moved, const Elements& original);

}  // namespace npuscope::compare
