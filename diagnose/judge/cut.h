// How a run of an op is cut into parts that are runs of the op themselves.
#pragma once

#include <cstdint>

namespace npuscope::diagnose {

/// Which operands are cut, and into what rows.
enum class Cut : uint8_t {
    kElements,  ///< those of the result's shape, element by element
    kMatrices,  ///< those of two axes and more that have as many rows as the result
    kFirst,     ///< the first of these alone, as matrix products take them
    kAll,       ///< vectors of as many elements as well
    kBlock,     ///< of a product of matrices: rows of the first, columns of the second
};

}  // namespace npuscope::diagnose
