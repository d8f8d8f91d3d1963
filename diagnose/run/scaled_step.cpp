#include "diagnose/run/scaled_step.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::diagnose {

namespace {

constexpr double kFirstDynamicScale = 65536;  // apex

void require_training_step(const onnx_model::Model& model) {
    const auto has_scale =
        std::ranges::any_of(model.inputs(), [](const onnx_model::TensorInfo& input) {
            return input.name == kLossScaleInput && input.shape.empty() && is_float(input.dtype);
        });
    if (!has_scale)
        throw Error(ErrorKind::kUsage,
                    "a loss scale needs a training step: " + in_quotes(model.path()) +
                        " has no scalar float input '" + std::string(kLossScaleInput) +
                        "' that multiplies its loss");
    const auto has_gradient =
        std::ranges::any_of(model.outputs(), [](const onnx_model::TensorInfo& output) {
            return output.name.starts_with(kGradientPrefix);
        });
    if (!has_gradient)
        throw Error(ErrorKind::kUsage,
                    "a loss scale needs gradients to unscale: " + in_quotes(model.path()) +
                        " has no output whose name begins with " + std::string(kGradientPrefix));
}

void set_scale(const onnx_model::Model& model, NamedTensors& inputs, double scale) {
    std::erase_if(inputs, [](const auto& item) { return item.first == kLossScaleInput; });
    for (const onnx_model::TensorInfo& input : model.inputs())
        if (input.name == kLossScaleInput)
            inputs.emplace_back(input.name, Tensor::scalar(scale).cast(input.dtype));
}

}  // namespace

LossScaleOptions loss_scale_from(const std::string& text) {
    if (text == "dynamic") return {.scale = kFirstDynamicScale, .dynamic = true};
    double scale = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), scale);
    if (failure != std::errc{} || end != text.data() + text.size())
        throw Error(ErrorKind::kUsage,
                    "loss scale " + in_quotes(text) +
                        " is neither a number nor 'dynamic'; the usual static one is 1024");
    return {.scale = scale};
}

ScaledStep run_scaled_step(
    const onnx_model::Model& model,
    Executor& executor,
    NamedTensors inputs,
    LossScaleOptions options,
    const std::function<void(int64_t, int64_t, const std::string&)>& on_node) {
    const Device& device = executor.device();
    if (device.policy != Policy::kChip)
        throw Error(ErrorKind::kUsage,
                    "a loss scale is for a chip: a reference rounds no gradient to float16");
    options.by_values = device.options.overflow_mode == OverflowMode::kInfNan;
    FloatStatusRegister status(device.options);
    LossScaler scaler(status, options);
    require_training_step(model);
    ScaledStep step;
    executor.attach(status);
    try {
        do {
            set_scale(model, inputs, scaler.current());
            model.check_inputs(inputs);
            scaler.begin_step();
            step.outputs = model.run(executor, inputs, on_node);
            std::vector<Tensor> gradients;
            for (const auto& [name, tensor] : step.outputs)
                if (name.starts_with(kGradientPrefix)) gradients.push_back(tensor);
            step.attempts.push_back(scaler.unscale(gradients));
            size_t next = 0;
            for (auto& [name, tensor] : step.outputs)
                if (name.starts_with(kGradientPrefix)) tensor = gradients[next++];
        } while (step.attempts.back().skipped && step.attempts.back().scale > 1);
    } catch (...) {
        executor.detach(status);
        throw;
    }
    executor.detach(status);
    return step;
}

}  // namespace npuscope::diagnose
