// A few elements of a tensor that lies in a file, read alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/element_source.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// `count` elements from `first` on, flat. Errors: as the source.
[[nodiscard]] inline Tensor piece_of(const ElementSource& elements, int64_t first, int64_t count) {
    std::vector<std::byte> buffer;
    return Tensor::copy_of(elements.dtype(), {count}, elements.range(first, count, buffer));
}

}  // namespace npuscope
