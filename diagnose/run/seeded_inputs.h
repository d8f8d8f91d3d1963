// Inputs for a model when nobody has any: random numbers in the declared shapes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "core/npz/npy.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::diagnose {

/// Shapes by the model's input names.
using InputShapes = std::map<std::string, Shape>;

/// "x:1,3,48,192" each; the name may hold colons, and the sizes may be written 1x3x48x192 or in
/// brackets. Errors: Error(kUsage) on any other text or a name given twice.
[[nodiscard]] InputShapes parse_input_shapes(std::span<const std::string> texts);

/// Seeded uniform(-1, 1) for floats, 0 for integers and bool; sizes that the model leaves open are
/// those of `shapes`, else 1; a sequence has one element, an optional no content.
/// The same numbers on every platform: std::mt19937_64, the top 53 bits of each draw.
/// Errors: Error(kUsage) when a shape does not fit the model's, or names no input.
[[nodiscard]] NamedTensors seeded_model_inputs(const onnx_model::Model& model,
                                               uint64_t seed,
                                               const InputShapes& shapes = {});

/// The sizes that seeded_model_inputs() takes as 1 for want of better, "x[batch,3,h,?]"; the first
/// axis of an input does not count, where 1 is a batch. "" when there are none.
[[nodiscard]] std::string open_sizes(const onnx_model::Model& model, const InputShapes& shapes);

}  // namespace npuscope::diagnose
