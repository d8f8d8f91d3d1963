// The cases of ONNX's conformance suite: a model and its sets of inputs and expected outputs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/npz/npy.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::test {

struct OnnxDataSet {
    NamedTensors inputs;
    NamedTensors expected;
};

/// "node/test_abs" -> its folder, sorted.
[[nodiscard]] std::map<std::string, std::filesystem::path> onnx_suite(
    const std::filesystem::path& root);

/// Sequences as their elements, `name/0` and so on; an optional without content as nothing.
/// Errors: Error(kFormat|kUnsupported) as read_tensor.
[[nodiscard]] std::vector<OnnxDataSet> onnx_data_sets(const std::filesystem::path& folder,
                                                      const onnx_model::Model& model);

}  // namespace npuscope::test
