// Rows of a tensor: some axes moved to the end and read as one, for reductions and norms.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "npu_backend/chips/device.h"
#include "npu_backend/memory/strided.h"

namespace npuscope::backend {

/// `tensor` as [rows, length] where the `axes` (normalized, any order; empty means all) are the
/// length; `kept` is the shape of the rows, `with_ones` the same with 1 at each reduced axis.
struct Rows {
    Tensor data;
    int64_t rows = 0;
    int64_t length = 0;
    Shape kept;
    Shape with_ones;
    std::vector<int64_t> order;  ///< the permutation that was applied

    [[nodiscard]] static Rows over(const Tensor& tensor, const std::vector<int64_t>& axes);
    /// Undoes the permutation of a tensor that has the rows' elements.
    [[nodiscard]] Tensor restored(const Tensor& moved, const Shape& shape) const;
};

/// Sum as the vector unit adds: neighbours in pairs, then pairs of results; every sum rounded to W.
/// Overwrites `values`. 0 for no values. Source: asc-devkit ReduceSum.
template <class W>
W pairwise_sum(std::span<W> values) {
    size_t count = values.size();
    if (count == 0) return W{0};
    while (count > 1) {
        const size_t pairs = count / 2;
        for (size_t i = 0; i < pairs; ++i)
            values[i] = values[2 * i] + values[2 * i + 1];
        if (count % 2 != 0) values[pairs] = values[count - 1];
        count = pairs + count % 2;
    }
    return values[0];
}

/// The ReduceSum instruction on float16: each sum of a pair is rounded to float16 and, in
/// saturation mode, clamped. Source: Ascend C ReduceSum boundary table.
[[nodiscard]] Float16 half_tree_sum(std::span<const Float16> values, OverflowMode mode);

/// Sums over repeats of 256 bytes: a tree inside each, and over them a tree or one after the other;
/// or all values one after the other.
template <class W>
W repeat_sum(std::span<W> values, ReduceOrder order) {
    if (order == ReduceOrder::kOneByOne) return std::accumulate(values.begin(), values.end(), W{0});
    constexpr size_t kRepeat = 256 / sizeof(float);
    if (order == ReduceOrder::kTree || values.size() <= kRepeat) return pairwise_sum(values);
    W sum{0};
    for (size_t start = 0; start < values.size(); start += kRepeat)
        sum += pairwise_sum(values.subspan(start, std::min(kRepeat, values.size() - start)));
    return sum;
}

}  // namespace npuscope::backend
