// In what manner two tensors of equal runs differ: what that looks like tells what made it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace npuscope::diagnose {

enum class Manner : uint8_t {
    kRandomOp,  ///< by the op's name
    kOrder,     ///< of addition: some ulps of the largest value, and the sums agree
    kTail,      ///< the last elements, or the last of each row, hold what nobody wrote
    kTile,      ///< one block of rows and columns, as hardware works on, is another
    kOther,
    kUnknown,  ///< no elements
};

/// "order_of_addition"
[[nodiscard]] std::string_view key_of(Manner manner);
/// "order of addition: some ulps, and the sums agree"
[[nodiscard]] std::string_view words_of(Manner manner);

struct Difference {
    Manner manner = Manner::kUnknown;
    int64_t count = 0;  ///< elements that differ
    int64_t numel = 0;
    double largest = 0;   ///< |a - b|, of elements that are finite on both sides
    double ulps = 0;      ///< that in units of the last place of the largest magnitude
    std::string where{};  ///< "[16:32,0:16]", rows and columns; "" where it is no block
};

/// Of two tensors of one dtype and shape, at least one element of which differs. A tensor counts as
/// rows of its last axis. Complexity: two passes.
[[nodiscard]] Difference difference_of(const Tensor& a, const Tensor& b);

/// Whether an op draws numbers, by its name: "native_dropout", "Functional.dropout.0.forward".
[[nodiscard]] bool draws_numbers(std::string_view op);

}  // namespace npuscope::diagnose
