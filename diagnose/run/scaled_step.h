// One training step with a loss scale, as mixed precision training runs it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/npz/npy.h"
#include "npu_backend/executor.h"
#include "npu_backend/loss_scaler.h"
#include "npu_backend/onnx/model.h"

namespace npuscope::diagnose {

/// The input of the model that its loss is multiplied by, and how its gradients are called.
inline constexpr std::string_view kLossScaleInput = "loss_scale";
inline constexpr std::string_view kGradientPrefix = "grad_";

/// "dynamic" or a number. Errors: Error(kUsage).
[[nodiscard]] LossScaleOptions loss_scale_from(const std::string& text);

struct ScaledStep {
    NamedTensors outputs;                 ///< gradients unscaled, unless the last try was skipped
    std::vector<LossScaleStep> attempts;  ///< one, or more when a dynamic scale shrinks

    [[nodiscard]] bool overflowed() const { return attempts.back().overflow; }
};

/// Sets the scalar input `loss_scale` to the scale, runs the model and divides the outputs `grad_…`
/// by it. A dynamic scale (65536 at first) is halved after an overflow and the step run again on
/// the same inputs, down to 1. Chips in saturation mode know overflow from their float status,
/// those in inf/nan mode from the gradients' sums. Errors: Error(kUsage) for a reference, a model
/// without such an input or such outputs, and a dynamic scale while overflow is checked.
[[nodiscard]] ScaledStep run_scaled_step(
    const onnx_model::Model& model,
    Executor& executor,
    NamedTensors inputs,
    LossScaleOptions options,
    const std::function<void(int64_t, int64_t, const std::string&)>& on_node = {});

}  // namespace npuscope::diagnose
