// Runs a model on more samples than its batch holds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/npz/npy.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::diagnose {

using NodeProgress = std::function<void(int64_t done, int64_t total, const std::string& node)>;

/// Model::run(); what it throws says what the inputs were.
[[nodiscard]] NamedTensors run_model(const onnx_model::Model& model,
                                     Executor& executor,
                                     const NamedTensors& inputs,
                                     const NodeProgress& on_node = {});

/// Runs slices of the model's batch (the first declared dimension of its inputs) and joins the
/// outputs along their first axis. The last slice is padded with its own last sample and its
/// outputs are cut. Errors: Error(kUsage) when the inputs' first dimensions differ or the model
/// declares no fixed batch.
[[nodiscard]] NamedTensors run_in_batches(const onnx_model::Model& model,
                                          Executor& executor,
                                          const NamedTensors& inputs,
                                          const NodeProgress& progress = {});

/// Rows [begin, begin + count) along the first axis; rows past the end repeat the last one.
[[nodiscard]] Tensor slice_rows(const Tensor& tensor, int64_t begin, int64_t count);

}  // namespace npuscope::diagnose
