// What one tensor is of another.
#pragma once

#include <cstdint>
#include <string_view>

namespace npuscope::compare {

enum class RelationKind : uint8_t {
    kEqual,     ///< the elements in their order, up to rounding
    kReshaped,  ///< the same in another shape
    kPermuted,  ///< the elements in another order, by axes
    kPart,      ///< a slice along one axis: part of what is fused, padded or cut
    kSum,       ///< a sum of several
    kScaled,    ///< times a number
    kUnlike,    ///< paired by its place in the program; the elements do not say how
};
/// "equal", "reshaped", …
[[nodiscard]] std::string_view name_of(RelationKind kind);
/// Errors: Error(kFormat) where there is none of that name.
[[nodiscard]] RelationKind relation_kind(std::string_view name);

}  // namespace npuscope::compare
