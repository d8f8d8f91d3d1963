// Which numbers an operand of a product holds: enough to know whether products are exact.
#pragma once

#include <span>

namespace npuscope::backend {

struct OperandRange {
    int bits = 0;          ///< most significant bits of an element
    int lowest = 10000;    ///< exponent of the last significant bit, smallest
    int highest = -10000;  ///< exponent of the first, largest
    bool finite = true;
};
/// Of float and double.
template <class T>
[[nodiscard]] OperandRange range_of(std::span<const T> operand, int threads);

/// True when the products of two operands are exact in T: few enough significant bits, none lost
/// below the subnormals or above the largest finite value.
template <class T>
[[nodiscard]] bool products_are_exact(const OperandRange& a, const OperandRange& b);

}  // namespace npuscope::backend
