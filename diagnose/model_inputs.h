// The arrays that a model is run on: read from a file, or seeded.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/npz/npy.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::diagnose {

/// Arrays `<name>` or `in_<name>` of a .npz; `out_<name>` arrays are left out.
/// Errors: Error(kUsage) on any other name, listing the model's inputs; Error(kIo|kFormat) as
/// read_npz.
[[nodiscard]] NamedTensors read_model_inputs(const onnx_model::Model& model,
                                             const std::filesystem::path& path);

/// Seeded uniform(-1, 1) for floats, 0 for integers and bool; symbolic dimensions are 1, a
/// sequence has one element, an optional no content.
/// The same numbers on every platform: std::mt19937_64, the top 53 bits of each draw.
[[nodiscard]] NamedTensors seeded_model_inputs(const onnx_model::Model& model, uint64_t seed);

/// Arrays `out_<name>` of a .npz, without the prefix, for the model's outputs.
/// Errors: Error(kUsage) when there is none.
[[nodiscard]] NamedTensors read_expected_outputs(const onnx_model::Model& model,
                                                 const std::filesystem::path& path);

/// The class numbers of a .npz (its only 1-D integer array) or .npy. Errors: Error(kUsage) when
/// there is no such array.
[[nodiscard]] Tensor read_labels(const std::filesystem::path& path);

/// "input float32[64,1,8,8]" per line; symbolic dimensions by name.
[[nodiscard]] std::string describe_inputs(const onnx_model::Model& model);

}  // namespace npuscope::diagnose
