#include "npu_backend/kernels/rows.h"

#include <algorithm>

namespace npuscope::backend {

Rows Rows::over(const Tensor& tensor, const std::vector<int64_t>& axes) {
    Rows result;
    std::vector<char> reduced(static_cast<size_t>(tensor.ndim()), axes.empty() ? 1 : 0);
    for (const int64_t axis : axes)
        if (tensor.ndim() > 0) reduced[static_cast<size_t>(axis)] = 1;
    result.length = 1;
    for (size_t axis = 0; axis < reduced.size(); ++axis) {
        const int64_t size = tensor.shape()[axis];
        result.with_ones.push_back(reduced[axis] != 0 ? 1 : size);
        if (reduced[axis] != 0) {
            result.length *= size;
        } else {
            result.kept.push_back(size);
            result.order.push_back(static_cast<int64_t>(axis));
        }
    }
    for (size_t axis = 0; axis < reduced.size(); ++axis)
        if (reduced[axis] != 0) result.order.push_back(static_cast<int64_t>(axis));
    result.rows = numel_of(result.kept);
    result.data = permuted(tensor, result.order);
    return result;
}

Tensor Rows::restored(const Tensor& moved, const Shape& shape) const {
    if (std::is_sorted(order.begin(), order.end())) return moved.reshaped(shape);
    Shape moved_shape;
    std::vector<int64_t> back(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        moved_shape.push_back(shape[static_cast<size_t>(order[i])]);
        back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    }
    return permuted(moved.reshaped(moved_shape), back);
}

}  // namespace npuscope::backend
