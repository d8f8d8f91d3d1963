#include "npu_backend/memory/strided.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace npuscope::backend {

namespace {

template <size_t kSize>
struct Block {
    std::byte bytes[kSize];
};

/// Walks the outer dimensions and copies runs of the innermost one.
template <class Element>
void copy_runs(const Element* source, Element* target, const Strided& layout) {
    const size_t ndim = layout.shape.size();
    const int64_t run = ndim == 0 ? 1 : layout.shape[ndim - 1];
    const int64_t step = ndim == 0 ? 1 : layout.strides[ndim - 1];
    const int64_t runs = run == 0 ? 0 : numel_of(layout.shape) / run;
    std::vector<int64_t> index(ndim, 0);
    int64_t position = layout.offset;
    for (int64_t r = 0; r < runs; ++r) {
        const Element* from = source + position;
        if (step == 1) {
            std::memcpy(target, from, static_cast<size_t>(run) * sizeof(Element));
        } else {
            for (int64_t i = 0; i < run; ++i)
                target[i] = from[i * step];
        }
        target += run;
        for (size_t axis = ndim < 2 ? 0 : ndim - 1; axis-- > 0;) {
            position += layout.strides[axis];
            if (++index[axis] < layout.shape[axis]) break;
            position -= layout.strides[axis] * layout.shape[axis];
            index[axis] = 0;
        }
    }
}

}  // namespace

Tensor gather(const Tensor& source, const Strided& layout) {
    Tensor result(source.dtype(), layout.shape);
    if (result.numel() == 0) return result;
    const auto copy = [&]<size_t kSize>() {
        copy_runs(reinterpret_cast<const Block<kSize>*>(source.data()),
                  reinterpret_cast<Block<kSize>*>(result.mutable_data()),
                  layout);
    };
    switch (size_of(source.dtype())) {
        case 1:
            copy.operator()<1>();
            break;
        case 2:
            copy.operator()<2>();
            break;
        case 4:
            copy.operator()<4>();
            break;
        default:
            copy.operator()<8>();
    }
    return result;
}

Tensor permuted(const Tensor& source, const std::vector<int64_t>& dims) {
    const std::vector<int64_t> strides = contiguous_strides(source.shape());
    Strided layout;
    for (const int64_t dim : dims) {
        layout.shape.push_back(source.shape()[static_cast<size_t>(dim)]);
        layout.strides.push_back(strides[static_cast<size_t>(dim)]);
    }
    if (std::is_sorted(dims.begin(), dims.end())) return source;
    return gather(source, layout);
}

std::vector<int64_t> broadcast_strides(const Shape& shape, const Shape& target) {
    const std::vector<int64_t> own = contiguous_strides(shape);
    std::vector<int64_t> strides(target.size(), 0);
    const size_t lead = target.size() - std::min(shape.size(), target.size());
    bool fits = shape.size() <= target.size();
    for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
        if (shape[axis] == target[lead + axis])
            strides[lead + axis] = shape[axis] == 1 ? 0 : own[axis];
        else
            fits = shape[axis] == 1;
    }
    if (!fits)
        throw Error(ErrorKind::kUsage,
                    "shape " + to_string(shape) + " does not broadcast to " + to_string(target));
    return strides;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (size_t back = 1; back <= result.size(); ++back) {
        const int64_t x = back <= a.size() ? a[a.size() - back] : 1;
        const int64_t y = back <= b.size() ? b[b.size() - back] : 1;
        if (x != y && x != 1 && y != 1)
            throw Error(
                ErrorKind::kUsage,
                "shapes " + to_string(a) + " and " + to_string(b) + " do not broadcast together");
        result[result.size() - back] = x == 1 ? y : x;
    }
    return result;
}

int64_t normalized_axis(int64_t axis, int64_t ndim) {
    const int64_t range = std::max<int64_t>(ndim, 1);
    if (axis < -range || axis >= range)
        throw Error(
            ErrorKind::kUsage,
            "dim " + std::to_string(axis) + " is outside " + std::to_string(ndim) + " dimensions");
    return axis < 0 ? axis + range : axis;
}

}  // namespace npuscope::backend
