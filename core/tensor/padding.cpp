#include "core/tensor/padding.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace npuscope {

namespace {

/// Where an element of a shape stands in one that it is the first part of.
class Places {
  public:
    Places(const Shape& padded, const Shape& shape) : padded_(padded), shape_(shape) {}

    /// Itself of a place inside the smaller one; behind it, along an axis of one, the place that it
    /// may repeat; else -1.
    [[nodiscard]] int64_t source_of(int64_t place) const {
        int64_t source = 0;
        int64_t stride = 1;
        for (size_t axis = padded_.size(); axis-- > 0;) {
            int64_t at = place % padded_[axis];
            place /= padded_[axis];
            if (at >= shape_[axis]) {
                if (shape_[axis] != 1) return -1;
                at = 0;
            }
            source += at * stride;
            stride *= padded_[axis];
        }
        return source;
    }

  private:
    const Shape& padded_;
    const Shape& shape_;
};

bool is_zero(const std::byte* element, size_t size) {
    return std::all_of(element, element + size, [](std::byte each) { return each == std::byte{}; });
}

}  // namespace

bool may_be_padded(const Shape& padded, const Shape& shape) {
    if (padded.size() != shape.size() || padded == shape || numel_of(shape) == 0) return false;
    return std::equal(padded.begin(), padded.end(), shape.begin(), std::greater_equal<>());
}

std::optional<Tensor> without_padding(const Tensor& padded, const Shape& shape) {
    if (!may_be_padded(padded.shape(), shape)) return std::nullopt;
    const Places places(padded.shape(), shape);
    const size_t size = size_of(padded.dtype());
    const auto element = [&](int64_t place) {
        return padded.data() + static_cast<size_t>(place) * size;
    };
    Tensor inside(padded.dtype(), shape);
    std::byte* next = inside.mutable_data();
    for (int64_t place = 0; place < padded.numel(); ++place) {
        const int64_t source = places.source_of(place);
        if (source == place) {
            std::memcpy(next, element(place), size);
            next += size;
            continue;
        }
        if (is_zero(element(place), size)) continue;
        if (source < 0 || std::memcmp(element(place), element(source), size) != 0)
            return std::nullopt;
    }
    return inside;
}

}  // namespace npuscope
