// What a tensor's elements are, as hashes: equal contents are found without keeping the elements.
#pragma once

#include <cstdint>
#include <optional>

#include "core/tensor/element_source.h"

namespace npuscope::compare {

/// Elements are compared as float64 values, whatever their dtype; all NaN are one, -0 is not 0.
struct Content {
    int64_t numel = 0;
    uint64_t bag = 0;         ///< of the elements in any order
    uint64_t sequence = 0;    ///< of the elements in their order
    double first = 0;         ///< the first element, 0 without any
    bool constant = true;     ///< all elements are one value
    int64_t nan = 0;          ///< elements
    double bag_bits = 0;      ///< information in the bag; few: other tensors may share it by chance
    double order_bits = 0;    ///< information in the sequence
    bool fits_half = true;    ///< the sampled elements are float16 values
    bool fits_bfloat = true;  ///< the sampled elements are bfloat16 values

    /// Equal bags, or equal sequences, are no chance.
    [[nodiscard]] bool tells_bag() const { return !constant && bag_bits >= kEnoughBits; }
    [[nodiscard]] bool tells_order() const {
        return (!constant || numel == 1) && order_bits >= kEnoughBits;
    }

    /// Two tensors of so few bits that are equal by chance: one pair in 65536.
    static constexpr double kEnoughBits = 16;
};

/// The same elements in the same order.
[[nodiscard]] inline bool same_content(const Content& one, const Content& other) {
    return one.numel == other.numel && one.sequence == other.sequence;
}

/// Significant bits of a value; 0 where there are so few that other tensors hold it by chance, and
/// for what is not finite.
[[nodiscard]] int told_bits(double value);

/// One pass in pieces; with `rounded`, of the elements rounded to that dtype.
/// Errors: as ElementSource::range(). Threads: pure function.
[[nodiscard]] Content content_of(const ElementSource& elements, std::optional<DType> rounded = {});

}  // namespace npuscope::compare
