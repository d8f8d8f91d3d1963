#include "npu_backend/precision.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/loss_scaler.h"

namespace npuscope {
namespace {

using Settings = std::vector<std::string>;

Tensor filled(Shape shape, float value) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (float& element : tensor.mutable_as<float>())
        element = value;
    return tensor;
}

Device with(const char* chip_name, Settings settings) {
    return Device::npu(chip(chip_name), settings);
}

/// Two transposed convolutions and a scale, as in a feature pyramid: the values in the middle, 300
/// * 300 * 4 = 360000, are beyond float16; what comes out is 3.6.
Tensor pyramid(Executor& npu) {
    const Tensor x = filled({1, 4, 3, 3}, 300);
    const Tensor weight = filled({4, 1, 2, 2}, 300);
    const IntList two = {2, 2};
    const IntList none = {0, 0};
    const Tensor up = npu.call(
        "convolution", {x, weight, Value{}, two, none, IntList{1, 1}, true, none, int64_t{1}});
    return npu.call("mul_Tensor", {up, filled({1}, 1e-5f)});
}

TEST(PrecisionMode, force_fp16_ruins_a_pyramid_of_transposed_convolutions) {
    Executor kept(with("910B", {}));
    EXPECT_NEAR(pyramid(kept).at(0), 3.6, 1e-3);
    for (const char* mode : {"force_fp16", "allow_mix_precision"}) {
        Executor npu(with("910B", {std::string("precision_mode=") + mode}));
        EXPECT_TRUE(std::isinf(pyramid(npu).at(0))) << mode;
    }
    // The black list keeps it.
    Executor listed(
        with("910B", {"precision_mode=allow_mix_precision", "precision_black=Conv2DTranspose"}));
    EXPECT_NEAR(pyramid(listed).at(0), 3.6, 1e-3);
    Executor saturating(with("910B", {"precision_mode=force_fp16", "overflow_mode=sat"}));
    EXPECT_NEAR(pyramid(saturating).at(0), 0.655, 1e-2);
}

TEST(PrecisionMode, must_keep_refuses_what_the_cube_cannot_take) {
    Executor npu(with("910A", {"precision_mode=must_keep_origin_dtype"}));
    try {
        (void)npu.call("mm", {filled({1, 1}, 1), filled({1, 1}, 1)});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("allow_fp32_to_fp16"), std::string::npos);
    }
    // Vector ops take float32 everywhere.
    EXPECT_EQ(npu.call("add_Tensor", {filled({1}, 1), filled({1}, 0x1p-20f)}).tensor().at(0),
              1 + 0x1p-20);
}

TEST(PrecisionMode, force_fp16_rounds_vector_ops_and_gives_float32_back) {
    Executor npu(with("910B", {"precision_mode=force_fp16"}));
    const Tensor y = npu.call("add_Tensor", {filled({1}, 1), filled({1}, 0x1p-20f)});
    EXPECT_EQ(y.dtype(), DType::kFloat32);
    EXPECT_EQ(y.at(0), 1);
}

TEST(PrecisionMode, grey_ops_follow_the_op_before_them) {
    const Tensor a = filled({1, 1}, 1);
    const Tensor tiny = filled({1, 1}, 0x1p-20f);
    Executor npu(with("910B", {"precision_mode=allow_mix_precision"}));
    // After a float32 op: float32.
    EXPECT_EQ(npu.call("add_Tensor", {a, tiny}).tensor().at(0), 1 + 0x1p-20);
    // After a white op, also through a view: float16.
    const Tensor product = npu.call("mm", {a, a});
    EXPECT_EQ(npu.call("add_Tensor", {product, tiny}).tensor().at(0), 1);
    const Tensor view = npu.call("view", {product, IntList{1}});
    EXPECT_EQ(npu.call("add_Tensor", {view, tiny}).tensor().at(0), 1);
    // A black op ends it.
    const Tensor sum = npu.call("exp", {product});
    EXPECT_NE(npu.call("add_Tensor", {sum, tiny}).tensor().at(0),
              static_cast<double>(to_float(to_float16(sum.at(0)))));
    Executor white(
        with("910B", {"precision_mode=allow_mix_precision", "precision_white=add_Tensor"}));
    EXPECT_EQ(white.call("add_Tensor", {a, tiny}).tensor().at(0), 1);
}

TEST(PrecisionMode, cube_kernels_are_white_and_no_others) {
    for (const backend::Kernel* kernel : backend::all_kernels())
        EXPECT_EQ(kernel->colour == PrecisionColour::kWhite, kernel->unit == backend::Unit::kCube)
            << kernel->type;
    EXPECT_EQ(backend::find_kernel("ReduceSum")->colour, PrecisionColour::kBlack);
    EXPECT_EQ(backend::find_kernel("BNInfer")->colour, PrecisionColour::kBlack);
    EXPECT_EQ(backend::find_kernel("Add")->colour, PrecisionColour::kGrey);
}

TEST(PrecisionMode, a_list_takes_names_that_end_in_a_star) {
    const auto colour = [](const char* op, Settings settings) {
        settings.insert(settings.begin(), "precision_mode=allow_mix_precision");
        return precision_colour(*backend::find_op(op), options_from(chip("910B"), settings));
    };
    EXPECT_EQ(colour("add_Tensor", {"precision_white=add*"}), PrecisionColour::kWhite);
    EXPECT_EQ(colour("mul_Tensor", {"precision_white=add*"}), PrecisionColour::kGrey);
    // By what they launch: an op that is carried out as another one, too.
    for (const char* op : {"add_Tensor", "add_Scalar", "add__Tensor", "_foreach_add_Scalar"})
        EXPECT_EQ(colour(op, {"precision_white=Add"}), PrecisionColour::kWhite) << op;
    EXPECT_EQ(colour("sub_Scalar", {"precision_white=Add"}), PrecisionColour::kGrey);
    EXPECT_EQ(colour("convolution", {"precision_black=Conv2DT*"}), PrecisionColour::kBlack);
    EXPECT_EQ(colour("mm", {"precision_black=Conv2DT*"}), PrecisionColour::kWhite);
    EXPECT_EQ(colour("tanh", {"precision_white=*", "precision_black=Tan*"}),
              PrecisionColour::kBlack);
    EXPECT_EQ(colour("view", {"precision_white=*"}), PrecisionColour::kUntouched);
}

TEST(PrecisionMode, single_numbers_keep_float32_in_mixed_precision) {
    Executor npu(with("910A", amp_settings("O2")));
    const Tensor scale = Tensor::scalar<float>(65536);
    EXPECT_EQ(npu.call("mul_Tensor", {scale, scale}).tensor().at(0), 0x1p32);
    Executor forced(with("910A", {"precision_mode=force_fp16"}));
    EXPECT_EQ(forced.call("mul_Tensor", {scale, scale}).tensor().at(0), 65504);
}

TEST(PrecisionMode, gradients_have_the_colour_of_their_forward_ops) {
    const ChipOptions options =
        options_from(chip("910B"), Settings{"precision_mode=allow_mix_precision"});
    const auto colour = [&](const char* op) {
        return precision_colour(*backend::find_op(op), options);
    };
    EXPECT_EQ(colour("convolution_backward"), PrecisionColour::kWhite);
    for (const char* op : {"_softmax_backward_data",
                           "_log_softmax_backward_data",
                           "nll_loss_forward",
                           "nll_loss_backward",
                           "native_batch_norm",
                           "native_batch_norm_backward"})
        EXPECT_EQ(colour(op), PrecisionColour::kBlack) << op;
    for (const char* op : {"threshold_backward", "tanh_backward", "sigmoid_backward"})
        EXPECT_EQ(colour(op), PrecisionColour::kGrey) << op;
}

TEST(PrecisionMode, force_fp16_leaves_the_vectors_of_a_batch_norm_in_float32) {
    // 2^20 is beyond float16; as a running variance it must stay.
    const Tensor x = filled({1, 1, 1, 2}, 2);
    const Tensor one = filled({1}, 1);
    const Tensor zero = filled({1}, 0);
    const Tensor variance = filled({1}, 0x1p20f);
    Executor npu(with("910B", {"precision_mode=force_fp16"}));
    const Results forward =
        npu.call("native_batch_norm", {x, one, zero, zero, variance, false, 0.1, 0.0});
    EXPECT_EQ(forward.tensor().at(0), 0x1p-9);
    const Results backward = npu.call(
        "native_batch_norm_backward",
        {x, x, one, zero, variance, Value{}, Value{}, false, 0.0, BoolMask{{true, true, true}}});
    EXPECT_EQ(backward.tensor(0).at(0), 0x1p-9);
    EXPECT_EQ(backward.tensor(0).dtype(), DType::kFloat32);
    EXPECT_EQ(backward.tensor(2).at(0), 4);
}

TEST(Demotion, follows_the_options) {
    const Tensor x = filled({1, 1}, 1 + 0x1p-12f);
    const Tensor one = filled({1, 1}, 1);
    const auto product = [&](Settings settings) {
        Executor npu(with("910A", std::move(settings)));
        return npu.call("mm", {x, one}).tensor().at(0);
    };
    EXPECT_EQ(product({}), 1);
    EXPECT_EQ(product({"fp32_on_910A=keep"}), 1 + 0x1p-12);
    EXPECT_THROW((void)product({"fp32_on_910A=error"}), Error);
    Executor npu(with("910A", {"fp32_on_910A_out=float16"}));
    EXPECT_EQ(npu.call("mm", {filled({1, 1}, 300), filled({1, 1}, 300)}).tensor().at(0), 65504);
}

TEST(ImplMode, chooses_the_form_of_an_operator) {
    const auto tanh_of = [](Settings settings) {
        Executor npu(with("910B", std::move(settings)));
        return npu.call("tanh", {filled({1}, 4.5f)}).tensor().at(0);
    };
    EXPECT_NEAR(tanh_of({}), std::tanh(4.5), 1e-6);
    EXPECT_NEAR(tanh_of({"op_impl_mode=high_performance"}), std::tanh(4.5), 1e-6);
    const double fast = tanh_of({"op_impl_mode=high_performance_for_all"});
    EXPECT_GT(std::fabs(fast - std::tanh(4.5)), 1e-6);
    EXPECT_NEAR(fast, std::tanh(4.5), 9.6e-5);
    EXPECT_EQ(tanh_of({"op_impl_mode=high_performance", "op_impl_types=Tanh,Gelu"}), fast);
    EXPECT_NEAR(
        tanh_of({"op_impl_mode=high_performance", "op_impl_types=Gelu"}), std::tanh(4.5), 1e-6);
}

TEST(CubeRange, tells_which_elements_depend_on_the_order) {
    // 1 + 15 * 2^-24 needs an exact block; 2 + 2 does not.
    Tensor a = filled({2, 16}, 0x1p-12f);
    for (int64_t i = 0; i < 16; ++i)
        a.mutable_as<float>()[static_cast<size_t>(16 + i)] = 2;
    a.mutable_as<float>()[0] = 0x1p12f;
    Executor npu(Device::npu(chip("910A")), {.cube_range = true});
    (void)npu.call("mm", {a, filled({16, 1}, 0x1p-12f)});
    ASSERT_EQ(npu.cube_ranges().size(), 1u);
    const CubeRange& range = npu.cube_ranges()[0];
    EXPECT_EQ(range.kernel, "MatMul");
    EXPECT_EQ(range.op_name, "mm");
    EXPECT_EQ(range.numel, 2);
    EXPECT_EQ(range.sensitive, 1);
    EXPECT_EQ(range.largest_spread, 0x1p-20);
}

TEST(MixedPrecision, levels_are_settings) {
    EXPECT_TRUE(amp_settings("O0").empty());
    const ChipOptions o2 = options_from(chip("910B"), amp_settings("O2"));
    EXPECT_EQ(o2.precision_mode, PrecisionMode::kAllowMixPrecision);
    EXPECT_THROW((void)amp_settings("O3"), Error);
    // O1 keeps a softmax in float32, O2 does not.
    const auto colour = [](const char* op, const char* level) {
        return precision_colour(*backend::find_op(op),
                                options_from(chip("910B"), amp_settings(level)));
    };
    EXPECT_EQ(colour("_softmax", "O1"), PrecisionColour::kBlack);
    EXPECT_EQ(colour("_softmax", "O2"), PrecisionColour::kWhite);
    EXPECT_EQ(colour("native_layer_norm", "O2"), PrecisionColour::kBlack);
    for (const char* op : {"native_batch_norm", "native_batch_norm_backward"})
        EXPECT_EQ(colour(op, "O2"), PrecisionColour::kBlack) << op;
    for (const char* op : {"_log_softmax_backward_data", "nll_loss_forward", "sum_dim_IntList"})
        EXPECT_EQ(colour(op, "O2"), PrecisionColour::kWhite) << op;
    EXPECT_EQ(colour("mm", "O1"), PrecisionColour::kWhite);
    EXPECT_EQ(colour("_to_copy", "O2"), PrecisionColour::kUntouched);
}

TEST(LossScaler, a_static_scale_reports_the_overflow_of_each_step) {
    const Device device = Device::npu(chip("910A"));
    Executor npu(device);
    FloatStatusRegister status(device.options);
    npu.attach(status);
    LossScaler scaler(status, {.scale = 1024, .check_overflow = true});
    const Tensor large = filled({1}, 40000).cast(DType::kFloat16);
    scaler.begin_step();
    EXPECT_EQ(scaler.scale(filled({1}, 2)).at(0), 2048);
    (void)npu.call("add_Tensor", {large, large});
    std::vector<Tensor> gradients = {filled({2}, 2048)};
    const LossScaleStep first = scaler.unscale(gradients);
    EXPECT_TRUE(first.overflow);
    EXPECT_FALSE(first.skipped);
    EXPECT_EQ(gradients[0].at(1), 2);
    scaler.begin_step();
    EXPECT_FALSE(scaler.unscale(gradients).overflow);
    npu.detach(status);
}

TEST(LossScaler, a_dynamic_scale_skips_and_shrinks) {
    const Device device = Device::npu(chip("910A"));
    Executor npu(device);
    FloatStatusRegister status(device.options);
    npu.attach(status);
    LossScaler scaler(status, {.scale = 65536, .dynamic = true});
    scaler.begin_step();
    const Tensor large = filled({1}, 40000).cast(DType::kFloat16);
    (void)npu.call("add_Tensor", {large, large});
    std::vector<Tensor> gradients = {filled({1}, 8)};
    EXPECT_TRUE(scaler.unscale(gradients).skipped);
    EXPECT_EQ(gradients[0].at(0), 8);
    EXPECT_EQ(scaler.current(), 32768);
    npu.detach(status);
}

TEST(LossScaler, looks_at_the_gradients_where_the_chip_writes_inf) {
    const Device device = Device::npu(chip("910B"));
    FloatStatusRegister status(device.options);
    LossScaler scaler(status, {.scale = 4, .dynamic = true, .by_values = true});
    // Finite, but not their float32 sum; then an inf; then a clean step.
    std::vector<Tensor> sum = {filled({2}, 3e38f)};
    EXPECT_TRUE(scaler.unscale(sum).skipped);
    std::vector<Tensor> inf = {filled({1}, INFINITY), filled({1}, 1)};
    EXPECT_TRUE(scaler.unscale(inf).overflow);
    EXPECT_EQ(scaler.current(), 1);
    std::vector<Tensor> clean = {filled({1}, 8)};
    EXPECT_FALSE(scaler.unscale(clean).overflow);
    EXPECT_EQ(clean[0].at(0), 8);
}

TEST(LossScaler, rejects_a_dynamic_scale_while_overflow_is_checked) {
    FloatStatusRegister status;
    try {
        const LossScaler scaler(status, {.scale = 2, .dynamic = true, .check_overflow = true});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("static loss scale"), std::string::npos);
    }
    EXPECT_THROW(LossScaler(status, {.scale = 0}), Error);
}

}  // namespace
}  // namespace npuscope
