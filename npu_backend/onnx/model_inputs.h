// The arrays that a model is given: whether they fit its declared inputs, and as graph values.
#pragma once

#include <string>
#include <vector>

#include "core/npz/npy.h"
#include "npu_backend/onnx/graph_value.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::onnx_model {

/// "'input' float32 [64,1,8,8], …"; symbolic dimensions by their names, "?" without one.
[[nodiscard]] std::string in_words(const std::vector<TensorInfo>& infos);

/// Whether an array of this name is the value, or an element of it.
[[nodiscard]] bool is_array_of(const TensorInfo& info, const std::string& array);

/// What does not fit, or "". Symbols keep the size that they were first met with.
[[nodiscard]] std::string first_problem(const std::vector<TensorInfo>& infos,
                                        const NamedTensors& arrays);

/// The value of one input, which must fit.
[[nodiscard]] GraphValue input_value(const TensorInfo& info, const NamedTensors& arrays);

/// The arrays that stand for one output. Errors: Error(kFormat) when it was not computed.
void append_arrays(const TensorInfo& info, const GraphValue& value, NamedTensors& arrays);

}  // namespace npuscope::onnx_model
