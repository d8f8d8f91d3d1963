#include "diagnose/run/scaled_step.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "diagnose/run/model_inputs.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

using Settings = std::vector<std::string>;

const auto kModels = test::source_dir() / "data/models";

onnx_model::Model step_model() {
    return onnx_model::Model::load(kModels / "digits_step.onnx");
}
NamedTensors step_inputs(const onnx_model::Model& model) {
    return read_model_inputs(model, kModels / "digits_step.io.npz");
}

ScaledStep run_step(const char* chip_name, Settings settings, const LossScaleOptions& scale) {
    const onnx_model::Model model = step_model();
    Executor npu(Device::npu(chip(chip_name), settings));
    return run_scaled_step(model, npu, step_inputs(model), scale);
}

/// Largest error of a gradient, relative to its largest expected value: NumPy's in float64.
double gradient_error(const ScaledStep& step) {
    double worst = 0;
    for (const auto& [array, expected] : read_npz(kModels / "digits_step.io.npz"))
        for (const auto& [name, given] : step.outputs) {
            if (array != "out_" + name || !name.starts_with(kGradientPrefix)) continue;
            double largest = 0;
            double error = 0;
            for (int64_t i = 0; i < given.numel(); ++i) {
                largest = std::max(largest, std::fabs(expected.at(i)));
                error = std::max(error, std::fabs(given.at(i) - expected.at(i)));
            }
            worst = std::max(worst, error / largest);
        }
    return worst;
}

const Settings kO1 = amp_settings("O1");

TEST(ScaledStep, a_static_scale_saves_gradients_that_float16_would_lose) {
    for (const char* name : {"910A", "310P", "910B", "A3", "950"}) {
        const ScaledStep without = run_step(name, kO1, {.scale = 1});
        EXPECT_GT(gradient_error(without), 0.1) << name;
        const ScaledStep with = run_step(name, kO1, {.scale = 1024});
        EXPECT_LT(gradient_error(with), 1e-2) << name;
        EXPECT_EQ(with.attempts.size(), 1u);
        EXPECT_FALSE(with.overflowed());
    }
}

TEST(ScaledStep, the_scale_itself_need_not_fit_float16) {
    // 65536 is beyond it; O2 computes nearly everything in float16.
    const ScaledStep step = run_step("910A", amp_settings("O2"), loss_scale_from("dynamic"));
    EXPECT_EQ(step.attempts.size(), 1u);
    EXPECT_EQ(step.attempts[0].scale, 65536);
    EXPECT_LT(gradient_error(step), 1e-2);
}

TEST(ScaledStep, a_static_scale_that_is_too_large_overflows_and_is_applied_all_the_same) {
    for (const char* name : {"910A", "910B"}) {
        const ScaledStep step = run_step(name, kO1, {.scale = 0x1p40});
        EXPECT_TRUE(step.overflowed()) << name;
        EXPECT_FALSE(step.attempts[0].skipped) << name;
    }
}

TEST(ScaledStep, a_dynamic_scale_shrinks_until_nothing_overflows) {
    for (const char* name : {"910A", "910B"}) {
        const ScaledStep step = run_step(name, kO1, {.scale = 0x1p40, .dynamic = true});
        ASSERT_GT(step.attempts.size(), 1u) << name;
        for (size_t i = 0; i + 1 < step.attempts.size(); ++i) {
            EXPECT_TRUE(step.attempts[i].skipped);
            EXPECT_EQ(step.attempts[i + 1].scale, step.attempts[i].scale / 2);
        }
        EXPECT_FALSE(step.overflowed());
        EXPECT_LT(gradient_error(step), 1e-2) << name;
    }
}

TEST(ScaledStep, rejects_models_and_devices_without_scaled_gradients) {
    const onnx_model::Model model = onnx_model::Model::load(kModels / "digits_resnet.onnx");
    Executor npu(chip("910A"));
    EXPECT_THROW((void)run_scaled_step(model, npu, {}, {.scale = 2}), Error);
    const onnx_model::Model step = step_model();
    Executor reference(Device::reference64());
    EXPECT_THROW((void)run_scaled_step(step, reference, step_inputs(step), {.scale = 2}), Error);
    EXPECT_THROW((void)run_scaled_step(
                     step, npu, step_inputs(step), {.dynamic = true, .check_overflow = true}),
                 Error);
}

TEST(ScaledStep, reads_a_scale) {
    EXPECT_EQ(loss_scale_from("1024").scale, 1024);
    EXPECT_FALSE(loss_scale_from("0.5").dynamic);
    EXPECT_TRUE(loss_scale_from("dynamic").dynamic);
    EXPECT_EQ(loss_scale_from("dynamic").scale, 65536);
    EXPECT_THROW((void)loss_scale_from("much"), Error);
    EXPECT_THROW((void)loss_scale_from("1e"), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
