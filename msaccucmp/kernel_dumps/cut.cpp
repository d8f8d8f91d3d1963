// The part of a padded tensor that the other side has.
#include <algorithm>
#include <cstring>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/kernel_dumps/format_change.h"

namespace npuscope::msaccucmp {

namespace {

constexpr size_t kLeastDims = 4;
constexpr size_t kMostCutDims = 5;

Shape without_ones(const Shape& shape) {
    Shape rest;
    std::copy_if(
        shape.begin(), shape.end(), std::back_inserter(rest), [](int64_t dim) { return dim != 1; });
    return rest;
}

Shape filled(Shape shape, size_t rank) {
    if (shape.size() < rank) shape.resize(rank, 1);
    return shape;
}

/// The first elements of every dim.
Array corner(const Array& data, const Shape& dims) {
    Tensor result(data.values.dtype(), dims);
    if (result.numel() == 0) return {std::move(result), data.dtype};
    const size_t size = size_of(result.dtype());
    const auto strides = contiguous_strides(data.shape());
    const size_t last = dims.size() - 1;
    const size_t run = static_cast<size_t>(dims[last]) * size;
    std::vector<int64_t> index(last, 0);
    std::byte* out = result.mutable_data();
    for (;;) {
        int64_t offset = 0;
        for (size_t axis = 0; axis < last; ++axis)
            offset += index[axis] * strides[axis];
        std::memcpy(out, data.values.data() + static_cast<size_t>(offset) * size, run);
        out += run;
        size_t axis = last;
        while (axis > 0 && ++index[axis - 1] == dims[axis - 1])
            index[--axis] = 0;
        if (axis == 0) return {std::move(result), data.dtype};
    }
}

/// Looks at the dims from the left: the first that differs decides.
bool is_larger(const Shape& my, const Shape& wanted) {
    for (size_t i = 0; i < my.size(); ++i) {
        if (my[i] < wanted[i]) throw CompareFailure(kInvalidShape, shapes_differ(my, wanted));
        if (my[i] > wanted[i]) return true;
    }
    return false;
}

}  // namespace

Array cut_to(const Array& data, const Shape& wanted) {
    if (data.shape().size() < wanted.size()) {
        if (without_ones(data.shape()) != without_ones(wanted))
            throw CompareFailure(kInvalidShape, shapes_differ(data.shape(), wanted));
        return data;
    }
    const Shape my = filled(data.shape(), kLeastDims);
    const Shape target = filled(wanted, my.size());
    const auto ones =
        static_cast<size_t>(std::count(data.shape().begin(), data.shape().end(), int64_t{1}));
    // A vector between 1s is the same however it stands.
    if (numel_of(target) == data.values.numel() && ones + 1 >= data.shape().size()) return data;
    if (!is_larger(my, target)) return data;
    Array full = data.reshaped(my);
    if (my.size() > kMostCutDims) return full;
    Shape dims = target;
    for (size_t i = 0; i < dims.size(); ++i)
        dims[i] = std::min(dims[i], my[i]);
    return corner(full, dims);
}

}  // namespace npuscope::msaccucmp
