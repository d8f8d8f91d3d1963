// What traced tensors hold, as numbers.
#pragma once

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// In float64. Errors: as open_traced(). Memory: that of the tensor twice over.
[[nodiscard]] inline Tensor traced_numbers(const Side& side, size_t tensor) {
    return open_traced(side.source, side.flow, tensor)->whole().cast(DType::kFloat64);
}

/// The same of a tensor of the side's flow.
[[nodiscard]] inline Tensor traced_numbers(const Side& side, const TracedTensor& tensor) {
    return traced_numbers(side, static_cast<size_t>(&tensor - side.flow.tensors.data()));
}

/// The result of an op; nullptr of what has none, or several, and where its elements are not known.
[[nodiscard]] inline const TracedTensor* only_result(const Side& side, const SourceOp& op) {
    const TracedTensor* result = nullptr;
    for (const TracedTensor& tensor : side.of_op(op)) {
        if (tensor.direction != dumpfile::Direction::kOutput) continue;
        if (result != nullptr || !tensor.content) return nullptr;
        result = &tensor;
    }
    return result;
}

/// All its elements are numbers of a 16-bit format, whatever the dtype that is recorded.
[[nodiscard]] inline bool holds_16_bits(const TracedTensor& tensor) {
    return tensor.content && (tensor.content->fits_half || tensor.content->fits_bfloat);
}

}  // namespace npuscope::compare
