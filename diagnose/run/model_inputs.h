// The arrays that a model is run on: read from a file, or seeded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/npz/npy.h"
#include "diagnose/run/seeded_inputs.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::diagnose {

/// Arrays `<name>` or `in_<name>` of a .npz; `out_<name>` arrays are left out.
/// Errors: Error(kUsage) on any other name, listing the model's inputs; Error(kIo|kFormat) as
/// read_npz.
[[nodiscard]] NamedTensors read_model_inputs(const onnx_model::Model& model,
                                             const std::filesystem::path& path);

/// read_model_inputs() of `path` or, when it is empty, seeded_model_inputs(). Errors: also
/// Error(kUsage) for a path together with shapes.
[[nodiscard]] NamedTensors model_inputs(const onnx_model::Model& model,
                                        const std::filesystem::path& path,
                                        uint64_t seed,
                                        const InputShapes& shapes);

/// Arrays `out_<name>` of a .npz, without the prefix, for the model's outputs.
/// Errors: Error(kUsage) when there is none.
[[nodiscard]] NamedTensors read_expected_outputs(const onnx_model::Model& model,
                                                 const std::filesystem::path& path);

/// The class numbers of a .npz (its only 1-D integer array) or .npy. Errors: Error(kUsage) when
/// there is no such array.
[[nodiscard]] Tensor read_labels(const std::filesystem::path& path);

/// "input float32[64,1,8,8]"; symbolic dimensions by name.
[[nodiscard]] std::string describe_input(const onnx_model::TensorInfo& input);
/// All of them, separated by commas.
[[nodiscard]] std::string describe_inputs(const onnx_model::Model& model);
/// "input float32[64,1,8,8], mask bool[64]" of arrays, the first eight.
[[nodiscard]] std::string describe_tensors(const NamedTensors& tensors);

/// A sentence for each input that holds NaN: how many, and where the first is.
[[nodiscard]] std::vector<std::string> nan_inputs(const NamedTensors& inputs);

}  // namespace npuscope::diagnose
