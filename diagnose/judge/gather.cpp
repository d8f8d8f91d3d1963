#include "diagnose/judge/gather.h"

#include <cstring>
#include <type_traits>

namespace npuscope::diagnose {

namespace {

/// `size` may be a std::integral_constant: a copy of few bytes is a move where their number is
/// known.
template <class Size>
std::byte* gather_pieces(const std::byte* from,
                         const std::vector<int64_t>& places,
                         Size size,
                         std::byte* to) {
    for (const int64_t place : places) {
        std::memcpy(to, from + static_cast<size_t>(place) * size, size);
        to += size;
    }
    return to;
}

template <size_t size>
using Bytes = std::integral_constant<size_t, size>;

}  // namespace

std::byte* gather(const std::byte* from,
                  const std::vector<int64_t>& places,
                  size_t size,
                  std::byte* to) {
    switch (size) {
        case 2:
            return gather_pieces(from, places, Bytes<2>(), to);
        case 4:
            return gather_pieces(from, places, Bytes<4>(), to);
        case 8:
            return gather_pieces(from, places, Bytes<8>(), to);
        default:
            return gather_pieces(from, places, size, to);
    }
}

}  // namespace npuscope::diagnose
