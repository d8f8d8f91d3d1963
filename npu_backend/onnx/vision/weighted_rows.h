// Interpolation as gathers and weighted sums: where a result reads several places of an image.
#pragma once

#include <span>
#include <vector>

#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

/// For each point, equally many rows of a matrix and their weights; point-major.
struct RowTaps {
    int64_t points = 0;
    int64_t taps = 0;
    IntList rows;
    std::vector<double> weights;

    void add(int64_t row, double weight) {
        rows.push_back(row);
        weights.push_back(weight);
    }
};

/// [N, C, spatial…] -> [N * product of the spatial dimensions, C].
[[nodiscard]] Tensor as_rows(NodeRun& node, const Tensor& x);

/// weights * rows: [R, C] -> [points, taps, C]. Errors: Error(kFormat) more than 2^26 taps.
[[nodiscard]] Tensor tapped_rows(NodeRun& node, const Tensor& rows, const RowTaps& taps);

/// The sums over the taps: [R, C] -> [points, C].
[[nodiscard]] Tensor weighted_rows(NodeRun& node, const Tensor& rows, const RowTaps& taps);

/// The 2^n corners around a place inside an image of `sizes`, at row `first` of its rows; corners
/// outside weigh 0.
void add_corners(RowTaps& taps,
                 const std::vector<double>& place,
                 std::span<const int64_t> sizes,
                 int64_t first);

}  // namespace npuscope::onnx_model
