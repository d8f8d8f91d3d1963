#include "npu_backend/kernels/rows.h"

#include <algorithm>

#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

Float16 half_tree_sum(std::span<const Float16> values, OverflowMode mode) {
    std::vector<Float16> sums(values.begin(), values.end());
    if (sums.empty()) return {0};
    // The instruction's output saturates; an inf or nan that comes in is seen as such.
    for (size_t count = sums.size(); count > 1; count = count / 2 + count % 2) {
        for (size_t i = 0; i < count / 2; ++i) {
            Float16 sum =
                round_nearest<Float16>(to_double(sums[2 * i]) + to_double(sums[2 * i + 1]));
            if (saturates<Float16>(mode) && !is_finite(sum)) sum = saturated(sum);
            sums[i] = sum;
        }
        if (count % 2 != 0) sums[count / 2] = sums[count - 1];
    }
    return sums[0];
}

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
