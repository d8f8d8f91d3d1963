// What a tensor is that should be equal to the golden's and is not.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor/tensor.h"

namespace npuscope::compare {

enum class Likeness : uint8_t {
    kEqual,     ///< up to rounding to the narrower of both dtypes
    kRounding,  ///< within a few units in the last place of the narrower dtype
    kLeaning,   ///< likewise, of 16 bits, but all to one side: scaled by less than rounding shows
    kNarrowed,  ///< rounded to float16 or bfloat16, or the golden's is
    kDerived,   ///< made from the golden's in a way that has a name: scaled, set to zero
    kMoved,     ///< holds the golden's elements, or most of them, elsewhere: transposed, flipped
    kEdited,    ///< a few elements differ
    kOther,     ///< anything else
};

struct Relation {
    Likeness likeness = Likeness::kEqual;
    std::string text{};   ///< "it is its transpose"; of kEqual and kRounding ""
    double distance = 0;  ///< rms(target - golden) / rms(golden), over finite pairs in their order
    /// Of kEdited and kOther: the share of elements that are the golden's to the bit.
    double equal = 0;
};

/// Shapes may differ. Memory: both as float64. Integers and bools have no rounding.
[[nodiscard]] Relation relation_of(const Tensor& target, const Tensor& golden);

}  // namespace npuscope::compare
