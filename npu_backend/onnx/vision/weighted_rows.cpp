#include "npu_backend/onnx/vision/weighted_rows.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

Tensor as_rows(NodeRun& node, const Tensor& x) {
    IntList order = ir::iota(x.ndim());
    order.erase(order.begin() + 1);
    order.push_back(1);
    const int64_t rows = x.dim(0) * numel_of(std::span(x.shape()).subspan(2));
    return ir::view(node, ir::permute(node, x, order), {rows, x.dim(1)});
}

Tensor tapped_rows(NodeRun& node, const Tensor& rows, const RowTaps& taps) {
    require_host_size({taps.points, taps.taps});
    const Tensor picked =
        ir::view(node, ir::take(node, rows, 0, taps.rows), {taps.points, taps.taps, rows.dim(1)});
    const Tensor weights =
        Tensor::from<double>({taps.points, taps.taps, 1}, std::span<const double>(taps.weights));
    return ir::mul(node, picked, weights.cast(rows.dtype()));
}

Tensor weighted_rows(NodeRun& node, const Tensor& rows, const RowTaps& taps) {
    return ir::reduce(node, "sum_dim_IntList", tapped_rows(node, rows, taps), {1}, false);
}

void add_corners(RowTaps& taps,
                 const std::vector<double>& place,
                 std::span<const int64_t> sizes,
                 int64_t first) {
    const size_t ndim = place.size();
    for (size_t corner = 0; corner < size_t{1} << ndim; ++corner) {
        int64_t row = 0;
        double weight = 1;
        for (size_t axis = 0; axis < ndim; ++axis) {
            const double low = std::floor(place[axis]);
            const bool upper = (corner >> axis & 1) != 0;
            const double at = upper ? low + 1 : low;
            const double share = place[axis] - low;
            const bool inside = at >= 0 && at < static_cast<double>(sizes[axis]);
            weight *= !inside ? 0 : (upper ? share : 1 - share);
            row = row * sizes[axis] + (inside ? static_cast<int64_t>(at) : 0);
        }
        taps.add(first + row, weight);
    }
}

}  // namespace npuscope::onnx_model
