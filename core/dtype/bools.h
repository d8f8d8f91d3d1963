// Foreign bytes as bools.
#pragma once

#include <cstddef>
#include <span>

namespace npuscope {

/// Makes bytes of a file elements of kBool: 0 stays, all else becomes 1. A C++ bool holds nothing
/// else.
inline void make_bools(std::span<std::byte> bytes) {
    for (std::byte& byte : bytes)
        byte = std::byte{byte != std::byte{0}};
}

}  // namespace npuscope
